// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of hyp/totals:
 *
 *   enable	1 to keep totals, 0 to cease
 *   table	the totals, a line for each {VM, vCPU, kind, reason}; all CPUs together
 *   reset	a write resets the totals; if none are kept, the memory of CPUs' tables is freed
 *   stats	what the totals lack
 *   vms	the VMs' numbers
 */

#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "totals.h"
#include "vms.h"

/* table ------------------------------------------------------------------------------- */

static void *table_start(struct seq_file *m, loff_t *pos)
{
	if (!*pos)
		return SEQ_START_TOKEN;

	return *pos <= hyptrace_totals_snapshot_rows(m->private) ? pos : NULL;
}

static void *table_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return table_start(m, pos);
}

static void table_stop(struct seq_file *m, void *v)
{
}

static int table_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN)
		hyptrace_totals_show_header(m);
	else
		hyptrace_totals_show_row(m, m->private, *(loff_t *)v - 1);

	return 0;
}

static const struct seq_operations table_ops = {
	.start	= table_start,
	.next	= table_next,
	.stop	= table_stop,
	.show	= table_show,
};

static int table_open(struct inode *inode, struct file *filp)
{
	struct hyptrace_totals_snapshot *snapshot;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;

	snapshot = hyptrace_totals_snapshot();
	if (!snapshot)
		return -ENOMEM;

	ret = seq_open(filp, &table_ops);
	if (ret) {
		kvfree(snapshot);
		return ret;
	}

	((struct seq_file *)filp->private_data)->private = snapshot;
	return 0;
}

static int table_release(struct inode *inode, struct file *filp)
{
	kvfree(((struct seq_file *)filp->private_data)->private);
	return seq_release(inode, filp);
}

static const struct file_operations table_fops = {
	.open		= table_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= table_release,
};

/* Files that print all at once, and settings ---------------------------------------- */

static int totals_enable_show(struct seq_file *m)
{
	seq_printf(m, "%d\n", hyptrace_totals_are_on());
	return 0;
}

static int totals_enable_set(u32 value)
{
	return value > 1 ? -EINVAL : hyptrace_totals_enable(value);
}

static int reset_set(u32 value)
{
	hyptrace_totals_forget_all();
	return hyptrace_totals_reset();
}

/**
 * struct file_kind - a file of hyp/totals
 * @name:	its name
 * @show:	prints it, NULL if it can't be read
 * @set:	what writing a number does, NULL if it can't be written
 */
struct file_kind {
	const char	*name;
	int		(*show)(struct seq_file *m);
	int		(*set)(u32 value);
};

static const struct file_kind file_kinds[] = {
	{ "enable",	totals_enable_show,		totals_enable_set },
	{ "reset",	NULL,				reset_set },
	{ "stats",	hyptrace_totals_show_stats,	NULL },
	{ "vms",	hyptrace_show_vms,		NULL },
};

static int totals_file_show(struct seq_file *m, void *v)
{
	const struct file_kind *kind = m->private;

	return kind->show ? kind->show(m) : -EINVAL;
}

static int totals_file_open(struct inode *inode, struct file *filp)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	return ret ?: single_open(filp, totals_file_show, inode->i_private);
}

static ssize_t totals_file_write(struct file *filp, const char __user *ubuf, size_t cnt,
				 loff_t *ppos)
{
	const struct file_kind *kind = file_inode(filp)->i_private;
	u32 value;
	int ret;

	ret = kstrtou32_from_user(ubuf, cnt, 0, &value);
	if (!ret)
		ret = kind->set ? kind->set(value) : -EINVAL;

	return ret ?: cnt;
}

static const struct file_operations file_fops = {
	.open		= totals_file_open,
	.read		= seq_read,
	.write		= totals_file_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/**
 * hyptrace_totals_files_init() - create hyp/totals
 * @dir:	the directory hyp
 */
void hyptrace_totals_files_init(struct dentry *dir)
{
	const struct file_kind *kind;

	dir = tracefs_create_dir("totals", dir);
	if (IS_ERR_OR_NULL(dir))
		return;

	tracefs_create_file("table", 0440, dir, NULL, &table_fops);
	for (kind = file_kinds; kind < file_kinds + ARRAY_SIZE(file_kinds); kind++)
		tracefs_create_file(kind->name, (kind->show ? 0440 : 0) | (kind->set ? 0200 : 0),
				    dir, (void *)kind, &file_fops);
}
