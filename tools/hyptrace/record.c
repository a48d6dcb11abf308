// SPDX-License-Identifier: GPL-2.0-only
/*
 * hyptrace record: events of host and hypervisor on one timeline, in one trace.dat. trace-cmd
 * records them.
 */

#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choice.h"
#include "command.h"
#include "hyp.h"
#include "measure.h"
#include "select.h"
#include "subcommands.h"

/* The host's events by default: what report and wakeup need to know of vCPUs' threads. */
#define HOST_EVENTS	"sched:sched_switch,sched:sched_waking"

/* Of each buffer, by default [KiB for each CPU] */
#define BUFFER_KB	4096

struct arguments {
	struct measurement	measurement;
	struct choice		*choice;
	const char		*host, *output, *graph;
	long			buffer_kb;
};

enum {
	OPTION_GRAPH = 0x3000,
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENTS|@FILE", 0,
	  "Events of the hypervisor: names or patterns with commas, '-' takes away; FILE has one "
	  "a line. Default: all", 0 },
	{ "graph", OPTION_GRAPH, "FUNCTIONS", OPTION_ARG_OPTIONAL,
	  "Calls of the hypervisor's functions; with FUNCTIONS, names or patterns with commas, only "
	  "what these call. Then only hyp_enter and hyp_exit by default", 0 },
	{ "buffer-size", 'b', "KB", 0,
	  "Size of each CPU's buffers [KiB]; default: 4096", 0 },
	{ "host", 'H', "LIST", 0,
	  "Systems or events of the host, with commas, or none; default: " HOST_EVENTS, 0 },
	{ "output", 'o', "FILE", 0,
	  "Record into FILE instead of trace.dat", 0 },
	{ 0 }
};

static error_t parse(int option, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (option) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->measurement;
		return 0;
	case 'e':
		if (!arguments->choice)
			arguments->choice = choice_new();
		choice_add(arguments->choice, argument);
		return 0;
	case OPTION_GRAPH:
		arguments->graph = argument ?: "";
		return 0;
	case 'b':
		arguments->buffer_kb = number_option(state, "-b", argument);
		return 0;
	case 'H':
		arguments->host = argument;
		return 0;
	case 'o':
		arguments->output = argument;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* trace-cmd's command line ---------------------------------------------------------- */

static void add_host_events(struct list *argv, const char *events)
{
	char *copy = strdupa(events), *name;

	while ((name = strsep(&copy, ","))) {
		list_add(argv, "-e");
		list_add(argv, name);
	}
}

/* The clock of hyp/ is always the boot clock. */
static void make_command_line(struct list *argv, const struct arguments *arguments)
{
	char size[24];

	snprintf(size, sizeof(size), "%ld", arguments->buffer_kb);
	list_add(argv, "trace-cmd");
	list_add(argv, "record");
	list_add(argv, "-o");
	list_add(argv, arguments->output);
	list_add(argv, "-C");
	list_add(argv, "boot");
	if (arguments->host) {
		list_add(argv, "-b");
		list_add(argv, size);
		add_host_events(argv, arguments->host);
	}
	list_add(argv, "-B");
	list_add(argv, HYP_INSTANCE);
	list_add(argv, "-b");
	list_add(argv, size);
	if (arguments->graph) {
		list_add(argv, "-p");
		list_add(argv, "function_graph");
		/* These say when a guest or firmware runs, and not a function. */
		list_add(argv, "-e");
		list_add(argv, HYP_INSTANCE ":hyp_enter");
		list_add(argv, "-e");
		list_add(argv, HYP_INSTANCE ":hyp_exit");
	}
	if (arguments->choice || !arguments->graph)
		choice_to_arguments(arguments->choice, argv);
}

/* Functions ------------------------------------------------------------------------- */

#define GRAPH_FUNCTIONS	"set_graph_function"

static void all_functions(void)
{
	tracefs_instance_file_write(hyp_open(), GRAPH_FUNCTIONS, "");
}

/* trace-cmd's -g is for the kernel's functions only. */
static void choose_functions(const char *functions)
{
	char *copy = strdupa(functions), *name, line[128];

	if (!tracefs_file_exists(hyp_open(), GRAPH_FUNCTIONS))
		errx(1, "--graph: this kernel can't trace the hypervisor's functions: it needs CONFIG_KVM_HYPTRACE_FUNCTIONS");
	all_functions();
	atexit(all_functions);
	while ((name = strsep(&copy, ","))) {
		/* Without the end of a line, the kernel looks at it when the file is closed. */
		snprintf(line, sizeof(line), "%s\n", name);
		if (*name && tracefs_instance_file_append(hyp_open(), GRAPH_FUNCTIONS, line) < 0)
			errx(1, "--graph: the hypervisor has no function %s: see %s/available_filter_functions",
			     name, hyp_dir());
	}
}

/* trace-cmd ------------------------------------------------------------------------- */

/**
 * struct recorder - trace-cmd, while it records
 * @pid:	its process
 * @log:	what it prints
 */
struct recorder {
	pid_t	pid;
	FILE	*log;
};

/* Count a process's open trace_pipe_raw of an instance; @dir is part of their names. */
static int count_open(const char *pid, const char *dir_name)
{
	char path[300], target[300];
	struct dirent *entry;
	ssize_t length;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		n += !!strstr(target, dir_name) && strstr(target, "/trace_pipe_raw");
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Count the buffers that trace-cmd's processes read; they are in its process group. */
static int count_read(pid_t group)
{
	struct dirent *entry;
	int n = 0;
	DIR *proc;

	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (atoi(entry->d_name) > 0 && getpgid(atoi(entry->d_name)) == group)
			n += count_open(entry->d_name, "/" HYP_INSTANCE "/per_cpu/");
	if (proc)
		closedir(proc);
	return n;
}

static void print_log(const struct recorder *recorder)
{
	char line[300];

	rewind(recorder->log);
	while (fgets(line, sizeof(line), recorder->log))
		fprintf(stderr, "trace-cmd: %s", line);
}

static _Noreturn void fail(const struct recorder *recorder, int status)
{
	if (status == 127)
		errx(1, "trace-cmd is not installed: apt install trace-cmd");
	print_log(recorder);
	errx(1, "trace-cmd can't record, see above");
}

/* Were the hypervisor and the host traced before? Then they are again, at this program's end. */
static bool hyp_was_on, host_was_on;

static void restore_tracing(void)
{
	if (hyp_was_on)
		tracefs_trace_on(hyp_open());
	if (host_was_on)
		tracefs_trace_on(NULL);
}

static void save_tracing(void)
{
	hyp_was_on = tracefs_trace_is_on(hyp_open()) == 1;
	host_was_on = tracefs_trace_is_on(NULL) == 1;
	atexit(restore_tracing);
}

/* trace-cmd needs a moment; after this time, something else is wrong. */
#define READY_SECONDS	60

/*
 * trace-cmd starts a process for each buffer, and then turns tracing on: the host's first. A
 * command that begins earlier is not recorded from its beginning. A process that has not begun
 * to read when a short command is over would record nothing.
 */
static bool is_ready(const struct recorder *recorder)
{
	return tracefs_trace_is_on(hyp_open()) == 1 &&
	       count_read(recorder->pid) >= sysconf(_SC_NPROCESSORS_ONLN);
}

static struct recorder recorder_start(char **argv)
{
	struct recorder recorder = { .log = tmpfile() };
	const double end = now_seconds() + READY_SECONDS;

	if (!recorder.log)
		err(1, "temporary file");
	save_tracing();
	tracefs_trace_off(hyp_open());
	recorder.pid = helper_start(argv, fileno(recorder.log));
	/* Wait also if interrupted: before it is ready, it can't be told to end. */
	while (!is_ready(&recorder) && now_seconds() < end)
		if (command_ends(recorder.pid, 0.02))
			fail(&recorder, command_wait(recorder.pid));
	return recorder;
}

static void recorder_stop(struct recorder *recorder)
{
	int status;

	/* trace-cmd takes what is left in the buffers. */
	kill(recorder->pid, SIGINT);
	status = command_wait(recorder->pid);
	if (status)
		fail(recorder, status);
	fclose(recorder->log);
}

/* Progress -------------------------------------------------------------------------- */

/* Numbers of events of an instance, on all CPUs. */
struct counts {
	uint64_t	recorded, lost;
};

static uint64_t stat_of(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void add_stats(struct counts *counts, struct tracefs_instance *instance, int cpu)
{
	char path[64], *stats;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
	stats = tracefs_instance_file_read(instance, path, NULL);
	if (!stats)
		return;
	counts->recorded += stat_of(stats, "entries: ") + stat_of(stats, "read events: ");
	/* "commit overrun" is another number, which is part of the dropped ones. */
	counts->lost += stat_of(stats, "\noverrun: ") + stat_of(stats, "dropped events: ");
	free(stats);
}

/* Those of hyp/, or of the host with NULL. */
static struct counts counts_of(struct tracefs_instance *instance)
{
	struct counts counts = { 0 };
	int cpu;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		add_stats(&counts, instance, cpu);
	return counts;
}

/* What has been recorded by now, of the hypervisor and of the host. */
struct progress {
	struct counts	hyp, host;
};

static struct progress progress_now(const struct arguments *arguments)
{
	struct progress progress = { .hyp = counts_of(hyp_open()) };

	if (arguments->host)
		progress.host = counts_of(NULL);
	return progress;
}

static void print_counts(const struct progress *p)
{
	fprintf(stderr, "%" PRIu64 " events of the hypervisor, %" PRIu64 " of the host, %" PRIu64 " lost",
		p->hyp.recorded, p->host.recorded, p->hyp.lost + p->host.lost);
}

static void print_progress(const struct arguments *arguments, double start)
{
	const struct progress progress = progress_now(arguments);

	fprintf(stderr, "\r\033[Krecording: %.0f s, ", now_seconds() - start);
	print_counts(&progress);
}

static void print_result(const struct arguments *arguments, const struct progress *progress)
{
	struct stat file;

	if (stat(arguments->output, &file))
		err(1, "%s", arguments->output);
	fprintf(stderr, "%s: %lld KiB, ", arguments->output, (long long)file.st_size / 1024);
	print_counts(progress);
	fprintf(stderr, "\n");
	if (progress->hyp.lost + progress->host.lost)
		warnx("events were lost: record fewer (-e, --host), or use a larger buffer (-b)");
}

/* All ------------------------------------------------------------------------------- */

/* Wait for some time; true if the recording should end. */
static bool wait_a_second(pid_t command, double end)
{
	if (command) {
		if (command_ends(command, 1))
			return true;
		command_forward(command);
		return false;
	}
	wait_seconds(end - now_seconds() < 1 ? end - now_seconds() : 1);
	return interrupted || now_seconds() >= end;
}

/* Wait for the command, for some seconds, or for Ctrl-C. */
static void wait_for_end(struct arguments *arguments, const struct recorder *recorder)
{
	struct measurement *m = &arguments->measurement;
	const bool show = isatty(STDERR_FILENO);
	const double start = now_seconds(), end = start + (m->seconds ?: 1e9);
	pid_t command = m->argv ? command_start(m->argv) : 0;

	if (!command && !m->seconds)
		fprintf(stderr, "recording until Ctrl-C\n");
	do {
		if (command_ends(recorder->pid, 0))
			fail(recorder, command_wait(recorder->pid));
		if (show)
			print_progress(arguments, start);
	} while (!wait_a_second(command, end));
	if (command)
		m->status = command_wait(command);
	if (show)
		fprintf(stderr, "\r\033[K");
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { &measure_argp }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND...]",
		.doc = "Record events of host and hypervisor into a trace.dat: while COMMAND "
		       "runs, for SECONDS, or until Ctrl-C.\v"
		       "'hyptrace report' and 'trace-cmd report' show it, and KernelShark.",
		.children = children,
	};
	struct arguments arguments = {
		.host = HOST_EVENTS, .output = "trace.dat", .buffer_kb = BUFFER_KB,
	};
	struct list command_line = { 0 };
	struct recorder recorder;
	struct progress progress;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	if (!strcmp(arguments.host, "none"))
		arguments.host = NULL;
	hyp_open();
	make_command_line(&command_line, &arguments);
	if (arguments.graph)
		choose_functions(arguments.graph);
	catch_interrupts();
	recorder = recorder_start(command_line.text);
	if (interrupted)
		arguments.measurement.status = 128 + interrupted;
	else
		wait_for_end(&arguments, &recorder);
	/* trace-cmd empties the buffers at its end, so count before. */
	tracefs_trace_off(hyp_open());
	if (arguments.host)
		tracefs_trace_off(NULL);
	progress = progress_now(&arguments);
	recorder_stop(&recorder);
	print_result(&arguments, &progress);
	return arguments.measurement.status;
}
