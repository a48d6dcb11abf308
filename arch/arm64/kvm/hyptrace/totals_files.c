// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of hyp/totals:
 *
 *   enable	1 to keep totals, 0 to cease
 *   table	the totals, a line for each {VM, vCPU, kind, reason}; all CPUs together
 *   reset	a write resets the totals; if none are kept, the memory of CPUs' tables is freed
 *   stats	what the totals lack
 *   vms	the VMs' numbers
 *
 * and those of hyp/max, the longest intervals of them:
 *
 *   enable	1 to take them, and to keep totals; 0 to cease
 *   threshold_us	take each that is longer, too; 0 for none
 *   table	the longest of each {kind, reason}, then the latest above the threshold
 *   events	the same lines, each with the events that go with it
 *   reset	a write forgets them
 *   stats	what they lack
 */

#include <linux/cleanup.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "totals.h"
#include "vms.h"

/* Files of lines, which are taken when the file is opened ----------------------------- */

static const struct seq_operations table_ops;

static void *lines_start(struct seq_file *m, loff_t *pos)
{
	size_t nr = m->op == &table_ops ? hyptrace_totals_snapshot_rows(m->private) :
					  hyptrace_max_list_size(m->private);

	if (!*pos)
		return SEQ_START_TOKEN;

	return *pos <= nr ? pos : NULL;
}

static void *lines_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return lines_start(m, pos);
}

static void lines_stop(struct seq_file *m, void *v)
{
}

static const struct seq_operations table_ops = {
	.start	= lines_start,
	.next	= lines_next,
	.stop	= lines_stop,
	.show	= hyptrace_totals_show,
};

static const struct seq_operations max_table_ops = {
	.start	= lines_start,
	.next	= lines_next,
	.stop	= lines_stop,
	.show	= hyptrace_max_show,
};

static const struct seq_operations max_events_ops = {
	.start	= lines_start,
	.next	= lines_next,
	.stop	= lines_stop,
	.show	= hyptrace_max_show_events,
};

static void lines_free(const struct seq_operations *ops, void *lines)
{
	if (ops == &table_ops)
		kvfree(lines);
	else
		hyptrace_max_list_free(lines);
}

static int lines_open(struct inode *inode, struct file *filp)
{
	const struct seq_operations *ops = inode->i_private;
	void *lines;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;

	lines = ops == &table_ops ? (void *)hyptrace_totals_snapshot() : hyptrace_max_list();
	if (!lines)
		return -ENOMEM;

	ret = seq_open(filp, ops);
	if (ret)
		lines_free(ops, lines);
	else
		((struct seq_file *)filp->private_data)->private = lines;

	return ret;
}

static int lines_release(struct inode *inode, struct file *filp)
{
	struct seq_file *m = filp->private_data;

	lines_free(m->op, m->private);
	return seq_release(inode, filp);
}

static const struct file_operations lines_fops = {
	.open		= lines_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= lines_release,
};

/* Files that print all at once, and settings ---------------------------------------- */

/* A setting of totals may change one of max, and the other way round. */
static DEFINE_MUTEX(settings_lock);

static int totals_enable_show(struct seq_file *m)
{
	seq_printf(m, "%d\n", hyptrace_totals_are_on());
	return 0;
}

/* Without totals there are no longest intervals of them. */
static int totals_enable_set(u32 value)
{
	int ret = value > 1 ? -EINVAL : 0;

	if (!ret && !value)
		ret = hyptrace_max_enable(false);

	return ret ?: hyptrace_totals_enable(value);
}

/* The tables of CPUs also have the long intervals: take them before the tables are freed. */
static int reset_set(u32 value)
{
	bool were_on = hyptrace_totals_are_on();
	int ret = hyptrace_totals_enable(false);

	hyptrace_totals_forget_all();
	hyptrace_max_look();
	ret = ret ?: hyptrace_totals_reset();
	if (!ret && were_on)
		ret = hyptrace_totals_enable(true);
	if (ret)
		hyptrace_max_enable(false);

	return ret;
}

static int max_enable_set(u32 value)
{
	bool were_on = hyptrace_totals_are_on();
	int ret;

	if (value > 1)
		return -EINVAL;
	if (!value)
		return hyptrace_max_enable(false);

	ret = hyptrace_totals_enable(true);
	if (ret)
		return ret;

	ret = hyptrace_max_enable(true);
	if (ret && !were_on)
		hyptrace_totals_enable(false);

	return ret;
}

/**
 * struct file_kind - a file of hyp/totals or hyp/max
 * @name:	its name, NULL behind the last one
 * @show:	prints it, NULL if it can't be read
 * @set:	what writing a number does, NULL if it can't be written
 */
struct file_kind {
	const char	*name;
	int		(*show)(struct seq_file *m);
	int		(*set)(u32 value);
};

static const struct file_kind totals_kinds[] = {
	{ "enable",	totals_enable_show,		totals_enable_set },
	{ "reset",	NULL,				reset_set },
	{ "stats",	hyptrace_totals_show_stats,	NULL },
	{ "vms",	hyptrace_show_vms,		NULL },
	{ }
};

static const struct file_kind max_kinds[] = {
	{ "enable",		hyptrace_max_show_enable,	max_enable_set },
	{ "reset",		NULL,				hyptrace_max_reset },
	{ "stats",		hyptrace_max_show_stats,	NULL },
	{ "threshold_us",	hyptrace_max_show_threshold,	hyptrace_max_set_threshold },
	{ }
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
	if (ret)
		return ret;

	guard(mutex)(&settings_lock);

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

/* The directories ------------------------------------------------------------------- */

static void create_files(const struct file_kind *kind, struct dentry *dir)
{
	for (; kind->name; kind++)
		tracefs_create_file(kind->name, (kind->show ? 0440 : 0) | (kind->set ? 0200 : 0),
				    dir, (void *)kind, &file_fops);
}

static void max_files_init(struct dentry *dir)
{
	dir = tracefs_create_dir("max", dir);
	if (IS_ERR_OR_NULL(dir))
		return;

	tracefs_create_file("table", 0440, dir, (void *)&max_table_ops, &lines_fops);
	tracefs_create_file("events", 0440, dir, (void *)&max_events_ops, &lines_fops);
	create_files(max_kinds, dir);
}

/* Create hyp/totals and hyp/max in the directory hyp. */
void hyptrace_totals_files_init(struct dentry *dir)
{
	struct dentry *totals = tracefs_create_dir("totals", dir);

	if (IS_ERR_OR_NULL(totals))
		return;

	tracefs_create_file("table", 0440, totals, (void *)&table_ops, &lines_fops);
	create_files(totals_kinds, totals);
	max_files_init(dir);
}
