//go:build linux

package frontend_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/format/frontend"
)

// TestFullDiskOfQuietTool: a program that says nothing of a full disk, and leaves half a model that
// looks whole, makes no model.
func TestFullDiskOfQuietTool(t *testing.T) {
	s, temporary := newStandIns(t)
	if err := syscall.Mount("tmpfs", temporary, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(temporary, 0); err != nil {
			t.Error(err)
		}
	})
	s.add("spins", "echo so > \"$last.spins\"")
	s.add("prom2lts-seq", "{ printf 'x(1) Bool \"false\"\\n---\\n0\\n---\\n'; i=0; while [ $i -lt 6000 ]; do echo '1 1 \"send\"'; i=$((i+1)); done; } > \"$last\" 2>/dev/null\nexit 0")
	spec := written(t, t.TempDir(), "a.pml", "active proctype p() { skip }")
	for _, fill := range []int64{0, 32 << 10} {
		filler := written(t, temporary, "filler", strings.Repeat("x", int(fill)))
		_, _, err := opened(t, context.Background(), &frontend.Maker{}, frontend.Specification{Path: spec})
		if err == nil || !strings.Contains(err.Error(), "are left where temporary files are; make room there") {
			t.Errorf("%d bytes are taken before: error %v", fill, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		empty(t, temporary)
	}
}
