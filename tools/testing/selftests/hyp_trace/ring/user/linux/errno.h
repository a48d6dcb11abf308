/* SPDX-License-Identifier: GPL-2.0-only */
#include <asm/errno.h>
#include "../kernel.h"
