#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of make apply, of make series, of the build's tools and of tools/qemu/run. Prints
# TAP; $1 is a scratch directory.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../../.." && pwd)
. "$top/tools/where"
out=$(realpath "$1")/tools
rm -rf "$out"
mkdir -p "$out"
run=$top/tools/qemu/run
log=$out/log
. "$here/../result.sh"

# A checksum of all files of a tree, with their names.
fingerprint() {
	(cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum) |
		sha256sum
}

# The tree has what "make apply" needs: the files that have hooks, as released.
tree=$out/linux
cp -a "$build/pristine" "$tree"
cp "$build/linux/Makefile" "$tree/"
mkdir -p "$tree/tools/testing/selftests"
cp -a "$tree" "$out/misfit"
cp -a "$tree" "$out/older"
cp -a "$tree" "$out/moved"

make -s -C "$top" apply KSRC="$tree" > "$log" 2>&1 &&
	[ -f "$tree/kernel/trace/ext/instance.c" ] &&
	grep -q hyp_trace_host_smc "$tree/arch/arm64/kvm/hyp/nvhe/hyp-main.c" &&
	cmp -s "$tree/kernel/trace/trace.c" "$build/linux/kernel/trace/trace.c"
result "apply puts everything into a tree"

before=$(fingerprint "$tree")
make -s -C "$top" apply KSRC="$tree" > "$log" 2>&1 &&
	grep -q 'applied already' "$log" &&
	[ "$before" = "$(fingerprint "$tree")" ]
result "apply twice says so and changes nothing"

echo CONFIG_NVHE_EL2_FUNCTION_TRACER=y > "$tree/.config"
make -s -C "$top" apply KSRC="$tree" > "$log" 2>&1 &&
	grep -q "CONFIG_NVHE_EL2_FUNCTION_TRACER is CONFIG_KVM_HYPTRACE_FUNCTIONS now.*$tree/.config" "$log"
result "apply says which options of a configuration have another name now"
rm "$tree/.config"

# listing TREE: all files of a tree but git's, and whether they can be executed
listing() {
	(cd "$1" && find . -name .git -prune -o -type f -printf '%p %m\n' |
		sed 's/ [0-7]*[1357][0-7][0-7]$/ x/; s/ [0-7]*$//' | sort)
}

mails=$out/mails
taken=$out/taken
cp -a "$out/misfit" "$taken"
export AUTHOR='Test <test@example.org>'
git() {
	command git -C "$taken" -c user.name=Test -c user.email=test@example.org "$@"
}
"$top/tools/build/series" "$mails" > "$log" 2>&1 && git init -q && git add -A &&
	git commit -q -m base && git am -q --empty=drop "$mails"/*.patch >> "$log" 2>&1 &&
	[ -z "$(git status --short)" ] &&
	cp -a "$tree" "$out/expected" && none=$("$top/tools/build/series" --none) &&
	(cd "$out/expected" && xargs rm <<< "$none" && find tools -type d -empty -delete) &&
	diff -r --exclude=.git "$out/expected" "$taken" > "$log" 2>&1 &&
	diff <(listing "$out/expected") <(listing "$taken") > "$log" 2>&1
result "git am of the series makes the tree that apply makes, but for tests of tools"

# uses_tools TREE: prints the tests of a tree that name a tool of ours
uses_tools() {
	grep -rE 'tools/(where|build|qemu|hyptrace|hypertrace)' "$1/tools/testing/selftests/hyp_trace"
}
[ -f "$taken/tools/testing/selftests/hyp_trace/tracefs/hyp_trace_test.c" ] &&
	uses_tools "$tree" > "$log" 2>&1 && ! uses_tools "$taken" > "$log" 2>&1
result "the series has no test of a tool that it does not have"

commits=$(grep -c '^0' "$top/patches/series")
[ "$(grep -lx "Signed-off-by: $AUTHOR" "$mails"/* | wc -l)" = "$commits" ] &&
	grep -q "made for Linux $KERNEL" "$mails/0000-cover-letter.patch"
result "each mail of the series is signed off, and the cover letter names the version"

# series_says TEXT: the series of a copy of the project fails with this text
project=$out/project
mkdir "$project"
cp -a "$top"/{Documentation,Kconfig,arch,compat,drivers,fs,include,kernel,patches,tools} "$project/"
ln -s "$shared" "$project/build"
series_says() {
	! "$project/tools/build/series" "$out/none" > "$log" 2>&1 && grep -q "$1" "$log" &&
		[ ! -e "$out/none" ]
}

touch "$project/kernel/trace/new.c"
series_says 'kernel/trace/new.c: add it to patches/files'
result "series refuses a file of ours that belongs to no commit"

echo 'kernel/trace/new.c' >> "$project/patches/files"
echo 'kernel/trace/ne?.c' >> "$project/patches/files"
series_says 'kernel/trace/new.c is in .* and .*; leave it in one'
result "series refuses a file of ours that belongs to two"

sed -i 's/smccc_1_1_smc(fn,/smccc_smc(fn,/' "$out/misfit/arch/arm64/kvm/hyp/nvhe/psci-relay.c"
before=$(fingerprint "$out/misfit")
! make -s -C "$top" apply KSRC="$out/misfit" > "$log" 2>&1 &&
	grep -q 'hook patches/[0-9]*-kvm-arm64-el2-trace-psci.patch does not fit' "$log" &&
	[ "$before" = "$(fingerprint "$out/misfit")" ]
result "apply refuses where a hook does not fit, names it, changes nothing"

# Functions that end alike change places: the hook of each fits in the other.
protect=arch/arm64/kvm/hyp/nvhe/mem_protect.c
sed -i -E 's/^(int __pkvm_host_)(un)?(share_ffa)\(/\1\2\3_(/
	   s/_share_ffa_\(/_unshare_ffa(/; s/_unshare_ffa_\(/_share_ffa(/' "$out/moved/$protect"
before=$(fingerprint "$out/moved")
! make -s -C "$top" apply KSRC="$out/moved" > "$log" 2>&1 &&
	grep -q 'hook patches/[0-9]*-kvm-arm64-el2-trace-memory.patch does not fit' "$log" &&
	diff <(grep -o "^$protect: hunk .*" "$log" |
		sed -E 's/.*: hunk [0-9]+, at line [0-9]+, //; s/\([^"]*"/"/g') - > "$out/diff" <<-'END' &&
		is for "int __pkvm_host_share_ffa", would be in "int __pkvm_host_unshare_ffa"
		is for "int __pkvm_host_unshare_ffa", would be in "int __pkvm_host_share_ffa"
	END
	[ "$before" = "$(fingerprint "$out/moved")" ]
result "apply refuses hooks that fit in another function, names them, changes nothing"

# Functions that are elsewhere in their file get their hooks.
cp "$build/pristine/$protect" "$out/moved/$protect"
sed -i 's/^int __pkvm_host_share_hyp(/static int added(void)\n{\n\treturn 0;\n}\n\n&/' "$out/moved/$protect"
make -s -C "$top" apply KSRC="$out/moved" > "$log" 2>&1 &&
	sed -n '/^int __pkvm_host_unshare_hyp/,/^}/p' "$out/moved/$protect" |
		grep -q hyp_emit_mem_host_unshare_hyp
result "apply puts hooks into functions that are on other lines"

# Older sources of 6.12.y have two functions in another form: what the hunks for these look at.
takes_hunks_of_its_version() {
	sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 113/' "$out/older/Makefile"
	sed -i -e '/^int ring_buffer_alloc_read_page/,/^}/ {
		s/return -ENODEV;/return ERR_PTR(-ENODEV);/
		/^\tif ((\*rpage)->data) {/ i\
	if (bpage->data)\
		goto out;\
\
	page = alloc_pages_node(cpu_to_node(cpu),\
				GFP_KERNEL | __GFP_NORETRY | __GFP_COMP | __GFP_ZERO,\
				cpu_buffer->buffer->subbuf_order);
		/^int/ { s/^int /struct buffer_data_read_page *\n/; s/,$/)/; n; d }
		}' \
		-e '/^void ring_buffer_free_read_page/,/^}/ s/\<rpage\>/data_page/' \
		"$out/older/kernel/trace/ring_buffer.c"
	make -s -C "$top" apply KSRC="$out/older" > "$log" 2>&1 &&
		sed -n '/^ring_buffer_alloc_read_page/,/^}/p' "$out/older/kernel/trace/ring_buffer.c" |
			grep -q 'if (!to_ext(buffer) && '
}

if [ "$KERNEL" = 6.12 ]; then
	takes_hunks_of_its_version
	result "apply takes the hunks that are for the tree's version"
else
	skip "apply takes hunks by the stable release: those of $KERNEL have no differences"
fi

# hunks VERSION: the hunks of a patch for this version, each by its only line
cat > "$out/marked" <<-'END'
	text
	---
	--- a/one
	+++ b/one
	@@ -1 +1 @@
	+most
	@@@ 6.12.9-10 7: another
	@@ -1 +1 @@
	+another
	@@@ not 6.18: gone
	@@@ only 6.18.2-3 6.12.10: more
	@@ -1 +1 @@
	+more
	@@ -1 +1 @@
	+all
	--- a/two
	+++ b/two
	@@@ only 6.18: a file
	@@ -1 +1 @@
	+new
END
hunks() {
	"$top/tools/build/hooks" version="$1" "$out/marked" > "$log" &&
		sed -n '1d; s,^+++ b/,,p; s/^+\([a-z]\)/\1/p' "$log" | paste -sd' '
}
[ "$(hunks 6.12.8)" = "one most all" ] && [ "$(hunks 6.12.9)" = "one another all" ] &&
	[ "$(hunks 6.12.10)" = "one another more all" ] && [ "$(hunks 6.12.100)" = "one most all" ] &&
	[ "$(hunks 6.18.1)" = "one all two new" ] && [ "$(hunks 6.18.2)" = "one more all two new" ] &&
	[ "$(hunks 7.1)" = "one another all" ] && [ "$(hunks 6.1.18)" = "one most all" ]
result "a hunk is for the versions that the marks behind it say"

oldest=$(. "$top/tools/build/common" && echo "${oldest[$KERNEL]}")
sed -i "s/^SUBLEVEL = .*/SUBLEVEL = $((oldest - 1))/" "$out/misfit/Makefile"
! make -s -C "$top" apply KSRC="$out/misfit" > "$log" 2>&1 &&
	grep -q "Linux $KERNEL.$((oldest - 1)); the hooks are for .*$KERNEL.$oldest and later" "$log"
result "apply refuses an older stable release, and says which it takes"

sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 1/' "$out/misfit/Makefile"
! make -s -C "$top" apply KSRC="$out/misfit" > "$log" 2>&1 &&
	grep -q "Linux ${KERNEL%.*}.1.$((oldest - 1)); the hooks are for 6.12" "$log"
result "apply refuses another version"

! make -s -C "$top" apply KSRC=/nonexistent > "$log" 2>&1 &&
	grep -q 'no Linux source tree' "$log"
result "apply refuses what is no kernel"

# The tools get a build directory of their own.
copy=$out/copy
copied=$copy/${build#"$top/"}
mkdir "$copy"
cp -r "$top/tools" "$copy/"

# source_fails KSRC TEXT: the build refuses KSRC with TEXT, and copies nothing
source_fails() {
	! KSRC=$1 "$copy/tools/build/source" > "$log" 2>&1 && grep -q "$2" "$log" &&
		! [ -e "$copied/linux" ]
}

source_fails /nonexistent 'no Linux source tree' && source_fails "$out/misfit" "Linux ${KERNEL%.*}.1" &&
	source_fails "$tree" 'must be unpatched'
result "the build refuses a KSRC that is none, is another kernel's or has been patched"

# A small tree.
ksrc=$out/ksrc
mkdir -p "$ksrc/arch/arm64/kvm/hyp/nvhe"
touch "$ksrc/arch/arm64/kvm/hyp/nvhe/hyp-main.c"
printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 9\nmrproper:\n\trm -f built\n' \
	"${KERNEL%.*}" "${KERNEL#*.}" > "$ksrc/Makefile"

# takes_source: the build takes its source from $ksrc anew; false if it keeps what it has
takes_source() {
	KSRC=$ksrc "$copy/tools/build/source" > "$log" 2>&1 && grep -q unpacking "$log"
}

# in_git ARGS...: git in $ksrc
in_git() {
	git -C "$ksrc" -c user.name=test -c user.email=test@localhost "$@" > "$log" 2>&1
}

touch "$ksrc"/{built,some.o}
takes_source && [ -f "$copied/linux/arch/arm64/kvm/hyp/nvhe/hyp-main.c" ] &&
	! [ -e "$copied/linux/built" ] && ! [ -e "$copied/linux/some.o" ] &&
	[ -e "$ksrc/built" ]
result "the build copies KSRC, without what was built there"

mkdir "$copied/kernel"
! takes_source && [ -d "$copied/kernel" ] &&
	sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 10/' "$ksrc/Makefile" && takes_source &&
	grep -q 'SUBLEVEL = 10' "$copied/linux/Makefile" && ! [ -d "$copied/kernel" ]
result "the build copies KSRC again if it has another version, and then builds all"

rm "$ksrc"/{built,some.o}
in_git init && in_git add . && in_git commit -m one && takes_source && ! takes_source &&
	echo changed > "$ksrc/file" && in_git add . && in_git commit -m two && takes_source &&
	[ -f "$copied/linux/file" ] && ! [ -e "$copied/linux/.git" ]
result "the build copies KSRC again if it has another commit"

echo uncommitted > "$ksrc/file"
touch "$ksrc/some.o"
rm "$copied/linux.stamp"
takes_source && grep -q uncommitted "$copied/linux/file" &&
	! [ -e "$copied/linux/some.o" ] && ! [ -e "$copied/linux/.git" ]
result "the build copies KSRC with its changes that are in no commit"

# takes_archive FOLDER: the build takes its source from an archive there
takes_archive() {
	rm -f "$copied/linux.stamp"
	KSRC='' HYP_KERNELS=$1 "$copy/tools/build/source" > "$log" 2>&1
}

archives=$out/archives
mkdir -p "$archives"
for release in 9 10; do
	sed -i "s/^SUBLEVEL = .*/SUBLEVEL = $release/" "$ksrc/Makefile"
	tar -C "$out" -cJf "$archives/linux-$KERNEL.$release-arm64.tar.xz" ksrc
done
tar -C "$out" -cJf "$archives/linux-9.9.11.tar.xz" ksrc
takes_archive "$archives" && grep -q "unpacking $archives/linux-$KERNEL.10-arm64.tar.xz" "$log" &&
	grep -q 'SUBLEVEL = 10' "$copied/linux/Makefile"
result "the build takes the newest archive of its kernel in HYP_KERNELS"

rm "$archives/linux-$KERNEL".*
sed -i 's,/usr/src,/nonexistent,' "$copy/tools/build/common"
! takes_archive "$archives" && grep -q "no source of Linux $KERNEL: set KSRC=.*HYP_KERNELS" "$log"
result "the build says what to set where there is no source"

! KERNEL=5.4 "$copy/tools/build/source" > "$log" 2>&1 &&
	grep -q 'KERNEL=5.4: the hooks are for 6.12' "$log"
result "the build refuses a kernel that it does not know, and says which it does"

cp "$(type -P true)" "$out/busybox"
! BUSYBOX=$out/busybox "$copy/tools/build/initramfs" > "$log" 2>&1 &&
	grep -q 'no statically linked program for arm64' "$log" &&
	! [ -e "$copied/root/bin/busybox" ]
result "the build refuses a BUSYBOX that is none"

# A machine that has all programs but some.
mkdir "$out/bin"
ln -s /bin/* /usr/bin/* "$out/bin/" 2> "$log"
rm -f "$out/bin"/{apt-get,spin,qemu-system-aarch64}
! PATH=$out/bin KSRC='' BUSYBOX='' "$copy/tools/build/install-deps" > "$log" 2>&1 &&
	grep -q 'no apt-get' "$log" && grep -q '^  qemu-system-aarch64, 7.2' "$log" &&
	grep -q 'KSRC=' "$log" && grep -q 'BUSYBOX=' "$log" &&
	grep -q 'only for the tests:.* spin' "$log" && ! grep -q '^  flex' "$log"
result "the build says what is missing where there is no apt-get"

ln -s "$(command -v qemu-system-aarch64)" "$out/bin/"
PATH=$out/bin KSRC=$ksrc BUSYBOX=$out/busybox "$copy/tools/build/install-deps" > "$log" 2>&1 &&
	! [ -s "$log" ]
result "the build goes on without apt-get where all is there"

script() {
	cat > "$out/script"
}

script <<< 'echo out; echo err >&2; exit 7'
[ "$("$run" "$out/script" 2>"$out/err")" = "out
err" ]
result "run prints the script's output only"

"$run" "$out/script" > "$log" 2>&1
[ $? = 7 ]
result "run exits with the script's status"

script <<< 'seq 100000'
cmp <("$run" "$out/script" 2> /dev/null | { sleep 20; cat; }) <(seq 100000) > "$log" 2>&1
result "run prints all of the output to a reader that is slow"

script <<< 'while :; do sleep 1000; done'
HYP_TEST_SLOWER=1 "$run" --timeout 15 "$out/script" > "$log" 2>&1
[ $? = 124 ] && grep -q 'no end after 15 s' "$log"
result "run exits with 124 on time-out"

HYP_TEST_SLOWER=3 "$run" --timeout 5 "$out/script" > "$log" 2>&1
[ $? = 124 ] && grep -q 'no end after 15 s' "$log"
result "run waits longer on a machine that is slower"

script <<< 'echo "slower: $HYP_TEST_SLOWER"'
HYP_TEST_SLOWER=7 "$run" "$out/script" > "$log" 2>&1
grep -qx 'slower: 7' "$log"
result "run tells the script how much slower it is"

HYP_TEST_SLOWER=half "$run" "$out/script" > "$log" 2>&1
[ $? = 2 ] && grep -q 'must be 1 or more' "$log"
result "run refuses what is no factor"

script <<< 'echo c > /proc/sysrq-trigger; while :; do sleep 1000; done'
"$run" "$out/script" > "$log" 2>&1
[ $? = 125 ] && grep -q 'Kernel panic' "$log"
result "run exits with 125 on a panic, and shows it"

# vacated LISTED...: a CPU goes off with two tasks; the log lists these
vacated() {
	script <<-END
		exec > /dev/kmsg
		echo "<4>WARNING: CPU: 1 PID: 24 at kernel/sched/core.c:1 sched_cpu_dying+0xb0/0x230"
		echo "<4>CPU1 enqueued tasks (2 total):"
		for name in $*; do
			printf '<4>\tpid: 24, name: %s\n' \$name
		done
		echo "<4>more"
	END
	"$run" "$out/script" > "$log" 2>&1
}

vacated migration/1 && grep -q 'name: migration/1' "$log"
result "run takes a false alarm of the scheduler for what it is"

# exits_with STATUS COMMAND...
exits_with() {
	"${@:2}"
	[ $? = "$1" ]
}

exits_with 125 vacated migration/1 left-behind && exits_with 125 vacated left-behind &&
	exits_with 125 vacated
result "run exits with 125 if a task was left on a CPU"

script <<-'END'
	echo on > /proc/sys/kernel/printk_devkmsg
	exec > /dev/kmsg
	echo '<4>WARNING: early'
	i=0
	while [ $((i += 1)) -le 3000 ]; do
		echo "<4>a line like many that come after it, $i, which are a lot in all"
	done
END
exits_with 125 "$run" "$out/script" > "$log" 2>&1
result "run exits with 125 if there was a warning, and much after that"

script <<< 'cat /here/is; nproc; cat /proc/cmdline'
mkdir -p "$out/overlay/here"
echo overlaid > "$out/overlay/here/is"
"$run" --mode nvhe --smp 3 --append foo=bar --overlay "$out/overlay" \
	"$out/script" > "$log" 2>&1
[ "$(head -n 2 "$log")" = "overlaid
3" ] && grep -q 'kvm-arm.mode=nvhe.*foo=bar' "$log"
result "run takes overlay, CPUs and command line"

"$top/tools/qemu/demo" > "$log" 2>&1
result "make run shows each of its parts"

# The same, where nothing is done that could be shown.
sed -E "/show .*(hyp_guest|echo 42|online)/d" "$top/tools/qemu/demo.guest" > "$out/script"
! "$run" "$out/script" > "$log" 2>&1 &&
	diff <(sed -n 's/^missing: //p' "$log") - > "$out/diff" <<-'END'
		an event of each kind
		the guest is created
		the guest runs: from the hypercall to an exit that the host handles
		a CPU is turned off and on
		a run of a vCPU
	END
result "make run fails if parts are missing, and names them"

# grub_line PARAMETERS: prints what GRUB boots with after our drop-in
grub_line() (
	GRUB_CMDLINE_LINUX=$1 GRUB_CMDLINE_LINUX_DEFAULT=quiet
	. "$top/tools/hyptrace/debian/hyptrace.cfg"
	echo "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"
)

[ "$(grub_line foo=bar)" = "foo=bar kvm-arm.mode=nvhe quiet" ] &&
	[ "$(grub_line kvm-arm.mode=protected)" = "kvm-arm.mode=protected quiet" ] &&
	[ "$(grub_line kvm_arm.mode=protected)" = "kvm_arm.mode=protected quiet" ]
result "GRUB's drop-in adds a mode, or keeps the one that is there"

"$run" --mode nonsense "$out/script" > "$log" 2>&1
[ $? = 2 ] && grep -q 'must be nvhe, protected' "$log"
result "run refuses a mode that is none"
exit $status
