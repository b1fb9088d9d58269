package batch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPropertiesAreReadSoon: a short text that asks for work without end is refused after a while, and the other properties of
// the manifest are read.
func TestPropertiesAreReadSoon(t *testing.T) {
	folder := t.TempDir()
	var macros strings.Builder
	macros.WriteString("macro A0 () = end_macro ")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&macros, "macro A%d () = A%d () A%[2]d () end_macro ", i, i-1)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("T.tla", "---- MODULE T ----\nEXTENDS Naturals\nVARIABLE x\nRECURSIVE G(_)\nG(n) == IF n = 0 THEN 0 ELSE G(n - 1) + G(n - 1)\n"+
		"P == \\A n \\in 1..G(60) : [](x = n)\n====\n")
	r := newReader(context.Background(), filepath.Join(folder, "jobs.yaml"))
	r.longest = 100 * time.Millisecond
	where := Position{File: "jobs.yaml", Line: 2}
	done := make(chan []givenProperty)
	go func() {
		specified := entry{fields: map[string]field{
			"tla":     {text: "T.tla", where: where},
			"formula": {text: "P", where: where},
		}}
		all := r.propertiesOf(specified, &Job{})
		all = append(all, r.parse(folder, where, macros.String()+"A39 () true"))
		done <- append(all, r.parse(folder, where, "Inev(A)"))
	}()
	select {
	case all := <-done:
		if len(all) != 3 {
			t.Fatal(all)
		}
		for i, w := range all {
			if slow := strings.Contains(w.refused, "reading it takes longer than 100ms"); slow != (i < 2) {
				t.Errorf("%s: %q", w.text, w.refused)
			}
		}
	case <-time.After(30 * time.Second):
		t.Fatal("reading stands still")
	}
}
