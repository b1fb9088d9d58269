package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/testing/golden"
)

func TestVersionOf(t *testing.T) {
	module := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "2064f3477552bbbcde20fc4a944300afc4751966"}
	short := debug.BuildSetting{Key: "vcs.revision", Value: "2064f34"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	unchanged := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	for _, c := range []struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"", nil, "devel"},
		{"v1.2.3", nil, "v1.2.3"},
		{"v1.2.3", module("v1.2.4-0.20261121101838-2064f3477552+dirty", commit), "v1.2.3"},
		{"", module("v1.2.3"), "v1.2.3"},
		{"", module("v1.2.3", commit), "v1.2.3"},
		{"", module(""), "devel"},
		{"", module("(devel)"), "devel"},
		{"", module("(devel)", commit, unchanged), "devel-2064f3477552"},
		{"", module("(devel)", commit, changed), "devel-2064f3477552+dirty"},
		{"", module("", short), "devel-2064f34"},
	} {
		if got := wording.Version(c.release, c.info); got != c.want {
			t.Errorf("release %q, %+v: %s, want %s", c.release, c.info, got, c.want)
		}
	}
}

func TestCommitted(t *testing.T) {
	at := func(time string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: time}}}
	}
	for want, info := range map[string]*debug.BuildInfo{"": nil, "2026-11-21": at("2026-11-21T10:18:38Z"), "2026": at("2026")} {
		if got := committed(info); got != want {
			t.Errorf("%+v: %q, want %q", info, got, want)
		}
	}
}

// TestReleaseIsSetByTheLinker: the linker does not complain of a name that is not
// there, so that only the program reports whether the releases' is right.
func TestReleaseIsSetByTheLinker(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("links inev anew, which .ci/run asks for")
	}
	program := filepath.Join(t.TempDir(), "inev.exe")
	build := golden.Command(t, "go", "build", "-ldflags", "-X main.release=v1.2.3-test", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := golden.Command(t, program, "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "inev v1.2.3-test (go") {
		t.Errorf("%v\n%s", err, out)
	}
}
