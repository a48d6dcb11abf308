/* SPDX-License-Identifier: GPL-2.0-only */
#include <limits.h>
#include "../kernel.h"
