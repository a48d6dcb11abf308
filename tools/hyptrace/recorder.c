// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that records: it takes hyp/ and an instance of the host, sets both up, takes their
 * pages until the recording ends, gives back what it has taken, and writes the trace.dat. It does
 * that, too, if the front (record.c) is killed.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "color.h"
#include "command.h"
#include "hold.h"
#include "hyp.h"
#include "instances.h"
#include "limits.h"
#include "marks.h"
#include "output.h"
#include "pages.h"
#include "recorder.h"
#include "settings.h"
#include "table.h"
#include "totals.h"
#include "tracedat.h"
#include "vmm.h"

/* The host's buffer is the file's top one, so that all readers show both. */
static const char * const buffer_names[] = { "", HYP_INSTANCE, NULL };

/* Each is NULL until it is there. */
static struct tracefs_instance *host;
static struct pages *pages;

/* Giving back ----------------------------------------------------------------------- */

/* An instance can't be removed, nor a tracer changed, while a buffer can be read. */
static void give_back(void)
{
	if (hyp_is_taken())
		tracefs_trace_off(hyp_open());
	if (host)
		tracefs_trace_off(host);
	pages_stop(pages);
	pages_close(pages);
	hyp_give_back();
	if (host)
		host_instance_remove(host);
	host = NULL;
}

/* Setting up ------------------------------------------------------------------------ */

static bool is_wanted(const char *wanted, const char *system, const char *event)
{
	const char *colon = strchr(wanted, ':');

	if (!strcmp(system, HYP_INSTANCE) || !strcmp(system, "ftrace"))
		return false;
	if (!colon)
		return !fnmatch(wanted, system, 0) || !fnmatch(wanted, event, 0);
	return !fnmatch(strndupa(wanted, colon - wanted), system, 0) &&
	       (!colon[1] || !fnmatch(colon + 1, event, 0));
}

/* Add the host's events that match, and their systems. */
static void add_host_events(const char *wanted, struct list *events, struct list *systems)
{
	char **system, **all = tracefs_event_systems(NULL), **names, **name, text[128];
	bool found = false;

	for (system = all; system && *system; system++) {
		names = tracefs_system_events(NULL, *system);
		for (name = names; name && *name; name++) {
			if (!is_wanted(wanted, *system, *name))
				continue;
			snprintf(text, sizeof(text), "%s:%s", *system, *name);
			list_add_once(events, text);
			list_add_once(systems, *system);
			found = true;
		}
		tracefs_list_free(names);
	}
	tracefs_list_free(all);
	if (!found)
		errx(1, "the host has no event %s: %s/events has all", wanted,
		     tracefs_tracing_dir());
}

static struct list host_events(const struct recorder *recorder, struct list *systems)
{
	char *copy = recorder->host ? strdupa(recorder->host) : NULL, *wanted;
	struct list events = { 0 };

	while ((wanted = strsep(&copy, ",")))
		if (*wanted)
			add_host_events(wanted, &events, systems);
	return events;
}

/* With --graph, these say when a guest or firmware runs, and not a function. */
static struct list hyp_events(const struct recorder *recorder)
{
	struct list events = { 0 };

	if (recorder->choice || !recorder->graph)
		return choice_to_list(recorder->choice);
	list_add(&events, HYP_INSTANCE ":hyp_enter");
	list_add(&events, HYP_INSTANCE ":hyp_exit");
	return events;
}

#define GRAPH_FUNCTIONS	"set_graph_function"

static void choose_functions(const char *functions)
{
	char *copy = strdupa(functions), *name, line[128];

	if (!tracefs_file_exists(hyp_open(), GRAPH_FUNCTIONS))
		errx(1, "--graph: this kernel can't trace the hypervisor's functions: it needs CONFIG_KVM_HYPTRACE_FUNCTIONS");
	while ((name = strsep(&copy, ","))) {
		snprintf(line, sizeof(line), "%s\n", name);
		if (*name && tracefs_instance_file_append(hyp_open(), GRAPH_FUNCTIONS, line) < 0)
			errx(1, "--graph: the hypervisor has no function %s: see %s/available_filter_functions",
			     name, hyp_dir());
	}
}

static pid_t process_of_vm(long number)
{
	struct table *vms = totals_vms();
	pid_t pid = 0;
	size_t i;

	for (i = 0; i < vms->nr_vms; i++)
		if (vms->vm[i].number == number && vms->vm[i].state != VM_GONE)
			pid = vms->vm[i].pid;
	table_free(vms);
	if (!pid)
		errx(1, "there is no VM %ld: %s/totals/vms has all", number, hyp_dir());
	return pid;
}

static bool is_of_one(const struct recorder *recorder)
{
	return recorder->vm || recorder->pid;
}

static void follow_forks(struct tracefs_instance *instance)
{
	instance_set(instance, "options/event-fork", "1");
}

/* Add a process's threads to those that are recorded. False if there is none that is new. */
static bool add_threads(pid_t pid, struct list *known)
{
	struct list threads = vmm_threads(pid), new = { 0 };
	const size_t before = known->nr;
	size_t i;

	for (i = 0; i < threads.nr; i++) {
		list_add_once(known, threads.text[i]);
		if (known->nr > before + new.nr)
			list_add(&new, threads.text[i]);
	}
	instance_add(hyp_open(), SETTING_PIDS, &new);
	instance_add(host, SETTING_PIDS, &new);
	list_free(&threads);
	list_free(&new);
	return known->nr > before;
}

/* Record only what the threads of one process do. The kernel adds those that they start. */
static void choose_threads(const struct recorder *recorder)
{
	const pid_t pid = recorder->vm ? process_of_vm(recorder->vm) : recorder->pid;
	struct list known = { 0 };

	follow_forks(hyp_open());
	follow_forks(host);
	/* A thread may start others before it is added. */
	while (add_threads(pid, &known))
		;
	if (!known.nr)
		errx(1, "there is no process %d", pid);
	list_free(&known);
}

/*
 * Steps that can fail come before events are enabled. Events are enabled while tracing is off, so
 * that entries and exits alternate.
 */
static void set_up(const struct recorder *recorder, struct list *systems)
{
	struct list of_host = host_events(recorder, systems), of_hyp = hyp_events(recorder);

	instance_set(host, "trace_clock", "boot");
	instance_set_size(host, recorder->buffer_kb);
	instance_set_size(hyp_open(), recorder->buffer_kb);
	/* A tracer can't be changed while a buffer can be read. */
	if (recorder->graph) {
		choose_functions(recorder->graph);
		instance_set(hyp_open(), "current_tracer", "function_graph");
	}
	hyp_allocate(recorder->buffer_kb);
	/* While it can be read, the buffer stays. */
	pages_add(pages, host);
	pages_add(pages, hyp_open());
	tracefs_trace_off(hyp_open());
	instance_set(hyp_open(), "trace", "");
	if (is_of_one(recorder))
		choose_threads(recorder);
	instance_add(hyp_open(), "set_event", &of_hyp);
	instance_add(host, "set_event", &of_host);
	list_add(systems, HYP_INSTANCE);
	list_free(&of_host);
	list_free(&of_hyp);
}

/* Progress -------------------------------------------------------------------------- */

static void print_lost(uint64_t lost)
{
	if (lost)
		fprintf(stderr, "%s%" PRIu64 " lost%s", color_begin(stderr), lost,
			color_end(stderr));
	else
		fprintf(stderr, "0 lost");
}

static void print_progress(double start)
{
	static uint64_t before;
	const struct buffer_stats hyp = buffer_stats(hyp_open()), of_host = buffer_stats(host);
	const uint64_t events = hyp.recorded + of_host.recorded;

	fprintf(stderr, "\r\033[Krecording: %.0f s, %" PRIu64 " events (%" PRIu64 " in the last ",
		now_seconds() - start, events, events - before);
	fprintf(stderr, "second), ");
	print_lost(hyp.lost + of_host.lost);
	fprintf(stderr, ", %" PRIu64 " KiB", pages_size(pages) / 1024);
	before = events;
}

/* Wait until the other end of @end is closed, or there are enough pages, or none can be taken. */
static void wait_for_end(int end)
{
	struct pollfd files[] = {
		{ .fd = end, .events = POLLIN },
		{ .fd = pages_end(pages), .events = POLLIN },
	};
	const bool show = isatty(STDERR_FILENO);
	const double start = now_seconds();

	while (poll(files, 2, 1000) <= 0) {
		mark_vms(host);
		if (show)
			print_progress(start);
	}
	if (show)
		fprintf(stderr, "\r\033[K");
}

/* The file -------------------------------------------------------------------------- */

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Is it a file that others can replace, or none yet? */
static bool is_regular(const char *path)
{
	struct stat status;

	return !is_stdout(path) && (stat(path, &status) || S_ISREG(status.st_mode));
}

static void check_no_directory(const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		errx(1, "%s: is a directory", path);
}

static char *with_suffix(const char *path, const char *suffix)
{
	char *name;

	if (asprintf(&name, "%s%s", path, suffix) < 0)
		err(1, "memory");
	return name;
}

/* A file that can't be written is reported before anything is recorded. */
static void check_output(const char *path)
{
	if (is_stdout(path) && isatty(STDOUT_FILENO))
		errx(1, "-o -: a terminal can't show a recording");
	check_no_directory(path);
	check_no_directory(with_suffix(path, ".old"));
}

/* Pages are in the directory of the file, which is on the file system that it is meant for. */
static const char *directory_for(const char *path)
{
	return is_regular(path) ? dirname(xstrdup(path)) : temporary_dir();
}

static uint64_t write_to(int fd, const char *path, struct tracedat *dat)
{
	struct stat status;

	tracedat_write(dat, pages, buffer_names, fd, path);
	if (fstat(fd, &status) || close(fd))
		err(1, "%s", path);
	return status.st_size;
}

/* The file that is being written, NULL if there is none. */
static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

/* A recording that is there already is kept, as perf-record(1) keeps one. */
static uint64_t write_file(const char *path, struct tracedat *dat)
{
	uint64_t size;
	int fd;

	unfinished = with_suffix(path, ".XXXXXX");
	atexit(remove_unfinished);
	/* It has the kernel's addresses: others may not read it. */
	fd = mkostemp(unfinished, O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", unfinished);
	size = write_to(fd, path, dat);
	if (rename(path, with_suffix(path, ".old")) && errno != ENOENT)
		err(1, "%s", with_suffix(path, ".old"));
	if (rename(unfinished, path))
		err(1, "%s", path);
	unfinished = NULL;
	return size;
}

static uint64_t write_recording(const char *path, struct tracedat *dat)
{
	int fd = STDOUT_FILENO;

	if (is_regular(path))
		return write_file(path, dat);
	if (!is_stdout(path))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return write_to(fd, path, dat);
}

/* All ------------------------------------------------------------------------------- */

/* For each CPU and buffer: the buffer, its file, and libtracefs's pipe; and some others. */
#define FILES_OF_CPU	8
#define OTHER_FILES	64

static void allow_files(void)
{
	const rlim_t wanted = FILES_OF_CPU * sysconf(_SC_NPROCESSORS_CONF) + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		err(1, "getrlimit");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur < wanted)
		errx(1, "needs %lu open files for the CPUs of this machine, and may have %lu: ulimit -Hn",
		     (unsigned long)wanted, (unsigned long)limit.rlim_cur);
}

/* Marks are first, so that they are there whatever is lost. Threads are ready for a flood. */
static void begin(const struct recorder *recorder)
{
	pages_start(pages, recorder->max_size);
	tracefs_trace_on(host);
	mark_clocks(host, "start");
	mark_origin(host, recorder->command);
	mark_vms(host);
	tracefs_trace_on(hyp_open());
}

static void end(struct limits *limits, const struct recorder *recorder,
		const struct settings *set_up_by_us)
{
	mark_vms(host);
	mark_clocks(host, "end");
	limits_of_settings(limits, set_up_by_us, is_of_one(recorder) ? SETTING_PIDS : NULL);
	tracefs_trace_off(hyp_open());
	tracefs_trace_off(host);
	/* A page that is taken while the kernel is asked would count twice. */
	pages_stop(pages);
	limits_of_buffers(limits, host, hyp_open());
	give_back();
	pages_check(pages);
	limits_of_pages(limits, pages_count(pages, 0), pages_count(pages, 1));
}

static void print_result(const struct recorder *recorder, uint64_t size,
			 const struct limits *limits)
{
	if (size)
		fprintf(stderr, "%s: %" PRIu64 " KiB, ", recorder->output, size / 1024);
	fprintf(stderr, "%" PRIu64 " events of the hypervisor, %" PRIu64 " of the host, ",
		limits->hyp.events, limits->host.events);
	print_lost(limits->lost);
	fprintf(stderr, "\n");
	if (pages_are_full(pages))
		warn_missing("the recording has ended since it has its --max-size");
}

/**
 * record() - record
 * @data:	the recorder: what
 * @front:	gets a byte when recording has begun, and another one when all is given back
 * @until:	recording ends when its other end is closed
 *
 * If it can't record, the program ends with the reason.
 *
 * Return: the exit status: 3 if the recording is incomplete
 */
int record(const void *data, int front, int until)
{
	const struct recorder *recorder = data;
	struct list systems = { 0 };
	struct settings *set_up_by_us;
	struct limits limits = { 0 };
	struct tracedat *dat;
	uint64_t size;

	check_output(recorder->output);
	allow_files();
	pages = pages_new(directory_for(recorder->output));
	atexit(give_back);
	hyp_take(recorder->force);
	host = host_instance();
	set_up(recorder, &systems);
	dat = tracedat_new(&systems);
	set_up_by_us = settings_read();
	host_instance_note(host, settings_digest(set_up_by_us));
	begin(recorder);
	child_tell(front);
	wait_for_end(until);
	end(&limits, recorder, set_up_by_us);
	child_tell(front);
	size = write_recording(recorder->output, dat);
	print_result(recorder, size, &limits);
	return limits_print(&limits) && !recorder->allow_lost ? 3 : 0;
}
