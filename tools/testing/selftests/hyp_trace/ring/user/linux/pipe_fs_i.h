/* SPDX-License-Identifier: GPL-2.0-only */
#define PIPE_DEF_BUFFERS	16
