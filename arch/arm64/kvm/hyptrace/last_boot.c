// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the hypervisor's rings that survives a reboot: kvm-arm.hyp_trace_mem=, and
 * the instance hyp_last_boot.
 */

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/string.h>
#include <linux/trace_ext_mem.h>

#include <asm/cacheflush.h>

#include "hyptrace.h"

static struct trace_ext_writer last_boot_writer;

#undef TRACE_SYSTEM
#define TRACE_SYSTEM		hyp_last_boot
#define TRACE_SYSTEM_VAR	hyp_last_boot
#define TRACE_EXT_HEADER	"last_boot_event.h"
#define TRACE_EXT_WRITER	last_boot_writer
#define TRACE_EXT_NUMBER(name)	0
#define TRACE_HEADER_MULTI_READ
#include <trace/define_trace_ext.h>

static_assert(offsetof(struct trace_event_raw_hyp_unknown, __data_loc_bytes) ==
	      offsetof(struct ext_mem_unknown, bytes));
static_assert(offsetof(struct trace_event_raw_hyp_unknown, type) ==
	      offsetof(struct ext_mem_unknown, their_type));

static struct trace_ext_writer last_boot_writer = {
	.name		= "hyp_last_boot",
	.link		= "../hyp_last_boot",
	.systems	= "hyp,hyp_last_boot,ftrace",
	.label		= "hyp_last_boot",
	.location	= "hyp_last_boot event",
	.errors		= { TRACE_EXT_PLAIN_ERRORS("Events of an earlier boot", "hyp_last_boot/") },
	.ops		= &trace_ext_last_boot_ops,
	.source		= &hyptrace_writer,
	.dump_events	= 500,
	.created	= trace_ext_last_boot_created,
};

/* The parameter: the name of reserve_mem=, or ADDRESS:SIZE. */
static char parameter[64] __initdata;

static int __init set_mem(char *arg)
{
	if (arg && strscpy(parameter, arg) > 0)
		return 0;

	*parameter = '\0';
	return -EINVAL;
}
early_param("kvm-arm.hyp_trace_mem", set_mem);

/* Get the memory that the parameter means. Return false if it means none. */
static bool __init find_memory(phys_addr_t *start, phys_addr_t *size)
{
	char *rest;

	if (!strchr(parameter, ':'))
		return reserve_mem_find_by_name(parameter, start, size);

	*start = memparse(parameter, &rest);
	if (*rest++ != ':')
		return false;
	*size = memparse(rest, &rest);
	return !*rest;
}

/* Does a device have the memory of this node, by itself or as its memory-region? */
static bool __init is_of_device(const struct device_node *node)
{
	struct device_node *user;

	if (of_property_present(node, "compatible"))
		return true;

	for_each_node_with_property(user, "memory-region") {
		struct of_phandle_iterator it;
		int err;

		of_for_each_phandle(&it, err, user, "memory-region", NULL, 0) {
			if (it.node == node) {
				of_node_put(it.node);
				of_node_put(user);
				return true;
			}
		}
	}

	return false;
}

/* The reason why the memory of this node has another use, or NULL. */
static const char * __init used_by_others(const struct device_node *node)
{
	if (of_property_read_bool(node, "reusable"))
		return "it is reusable: the kernel has other pages there";
	if (is_of_device(node))
		return "a device has it";

	return NULL;
}

/* The reason why the device tree has not reserved this memory, or not for us, or NULL. */
static const char * __init why_unreserved(phys_addr_t start, phys_addr_t size)
{
	struct device_node *parent __free(device_node) =
		of_find_node_by_path("/reserved-memory");
	struct resource res;
	int i;

	for_each_child_of_node_scoped(parent, child) {
		for (i = 0; !of_address_to_resource(child, i, &res); i++) {
			if (res.start <= start && start + size - 1 <= res.end)
				return used_by_others(child);
		}
	}

	return "it is not in /reserved-memory of the device tree";
}

/* The reason why rings can't be there, or NULL. */
static const char * __init why_unusable(phys_addr_t start, phys_addr_t size)
{
	const char *why = NULL;
	unsigned long pfn;

	if (!PAGE_ALIGNED(start) || !PAGE_ALIGNED(size))
		return "it must be whole pages";
	if (!size || start + size < start)
		return "it has no size";
	if (strchr(parameter, ':'))
		why = why_unreserved(start, size);
	if (why)
		return why;

	for (pfn = PHYS_PFN(start); pfn < PHYS_PFN(start + size); pfn++) {
		if (!pfn_is_map_memory(pfn))
			return "the kernel has not mapped it";
	}

	return NULL;
}

/**
 * hyptrace_last_boot_init() - have EL2's rings in the memory that a parameter names
 *
 * Context: boot, before the hypervisor's writer is registered.
 */
void __init hyptrace_last_boot_init(void)
{
	const char *why = "there is no memory of that name: see reserve_mem=";
	phys_addr_t start, size;
	int ret = 0;

	if (!*parameter)
		return;

	if (find_memory(&start, &size))
		why = why_unusable(start, size);
	if (!why)
		ret = trace_ext_mem_init(&hyptrace_writer, phys_to_virt(start), size);
	if (ret == -EINVAL)
		why = "it is too small for this number of CPUs";
	else if (ret == -EBUSY)
		why = "trace_instance= has given it to another instance";
	else if (ret)
		why = "there is no other memory to describe it";
	if (why)
		pr_err("hyp_trace: kvm-arm.hyp_trace_mem=%s is ignored: %s\n", parameter, why);
}

/*
 * Show what an earlier boot has left in that memory. This is called after the hypervisor's
 * writer has been registered, so that a trace from boot on does not wait for it.
 */
void __init hyptrace_last_boot_show(void)
{
	trace_ext_last_boot_show(&event_hyp_unknown);
}

/* Write memory from the caches to the point of persistence. */
void hyptrace_last_boot_clean(const void *start, size_t size)
{
	dcache_clean_pop((unsigned long)start, (unsigned long)start + size);
}
