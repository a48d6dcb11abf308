// SPDX-License-Identifier: GPL-2.0-only
/*
 * libtracecmd, for a static hyptrace: Debian has no archive of it. No file can be opened, and so
 * nothing else is ever called.
 */

#include <err.h>
#include <stdlib.h>
#include <trace-cmd.h>

struct tracecmd_input *tracecmd_open_fd(int fd, int flags)
{
	errx(1, "a static hyptrace can't read recordings: use one with libtracecmd, on this machine or on another one");
}

void tracecmd_set_loglevel(enum tep_loglevel level)
{
}

typedef int (*callback_t)(struct tracecmd_input *handle, struct tep_record *record, int cpu,
			  void *data);

void tracecmd_close(struct tracecmd_input *handle)
{
	abort();
}

struct tep_handle *tracecmd_get_tep(struct tracecmd_input *handle)
{
	abort();
}

unsigned long long tracecmd_get_traceid(struct tracecmd_input *handle)
{
	abort();
}

int tracecmd_buffer_instances(struct tracecmd_input *handle)
{
	abort();
}

const char *tracecmd_buffer_instance_name(struct tracecmd_input *handle, int index)
{
	abort();
}

struct tracecmd_input *tracecmd_buffer_instance_handle(struct tracecmd_input *handle, int index)
{
	abort();
}

struct tep_record *tracecmd_read_cpu_first(struct tracecmd_input *handle, int cpu)
{
	abort();
}

struct tep_record *tracecmd_read_data(struct tracecmd_input *handle, int cpu)
{
	abort();
}

void tracecmd_free_record(struct tep_record *record)
{
	abort();
}

int tracecmd_iterate_events(struct tracecmd_input *handle, cpu_set_t *cpus, int nr_cpus,
			    callback_t callback, void *data)
{
	abort();
}

int tracecmd_iterate_events_multi(struct tracecmd_input **handles, int nr_handles,
				  callback_t callback, void *data)
{
	abort();
}
