// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbolic links in tracefs.
 */

#include <linux/fs.h>
#include <linux/security.h>
#include <linux/trace_ext_compat.h>
#include <linux/tracefs.h>

#include "internal.h"

/**
 * tracefs_create_symlink() - create a symbolic link in the tracefs filesystem
 * @name:	the link's name
 * @parent:	its directory, or NULL for the root
 * @target:	its target, a string that is never freed
 *
 * Users can't remove it: tracefs directories have no unlink.
 *
 * Return: the link's dentry, or NULL
 */
struct dentry *tracefs_create_symlink(const char *name, struct dentry *parent,
				      const char *target)
{
	struct dentry *dentry;
	struct inode *inode;

	if (security_locked_down(LOCKDOWN_TRACEFS))
		return NULL;

	dentry = tracefs_start_creating(name, parent);
	if (IS_ERR(dentry))
		return NULL;

	inode = tracefs_get_inode(dentry->d_sb);
	if (unlikely(!inode))
		return tracefs_failed_creating(dentry);

	inode->i_mode = S_IFLNK | 0777;
	inode->i_op = &simple_symlink_inode_operations;
	inode->i_link = (char *)target;
	TRACE_EXT_INSTANTIATE(dentry, inode);
	return tracefs_end_creating(dentry);
}
