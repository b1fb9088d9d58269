package liveness_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// TestMergedStates: on a graph that TLC wrote under SYMMETRY or VIEW, invariants can be asked, with a remark, and nothing about
// runs; on one that was written without them, everything.
func TestMergedStates(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLES x, f\nSeen == x\nP == <>(x = 1)\nQ == x < 2\nR == [][x' > x]_x\nS == ENABLED (x' = 3)\nT == x = 0\n====\n")
	write(t, folder, "Random.dot", twoStates)
	for _, keyword := range []string{"SYMMETRY", "VIEW"} {
		write(t, folder, "Random.cfg", "CONSTANT c = 1\n"+keyword+" Seen\nPROPERTY P\n")
		s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, whole := range []bool{false, true} {
			g, err := s.On(ctx, m.LTS, m.States, whole)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(g.Notes(), "\n")
			if said := strings.Contains(notes, "Random.cfg:2: "+keyword+" makes TLC take different states for one; an invariant is checked in one of them alone"); said != !whole {
				t.Errorf("notes %q", notes)
			}
			for text, isInvariant := range map[string]bool{"P": false, "[]Q": true, "T": true, "R": false, "[](Q /\\ S)": true, "[]<>Q": false, "[](Q => <>T)": false} {
				all, err := s.Instances(ctx, text)
				if err != nil {
					t.Fatal(err)
				}
				_, err = g.Ask(ctx, all[0])
				if want := !whole && !isInvariant; (err != nil) != want {
					t.Errorf("%s: %v", text, err)
				}
				if err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "Random.cfg:2: "+keyword+" makes TLC take different states for one")) {
					t.Errorf("%s: %v", text, err)
				}
			}
			if _, err := g.Take(ctx, nil, m.States); (err != nil) != !whole {
				t.Errorf("a formula of another logic: %v", err)
			}
		}
	}
}

// TestAlias: what is written under an ALIAS that may change the values of variables is refused.
func TestAlias(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers, TLC
VARIABLES x, f
Same == [x |-> x, more |-> x + 1, f |-> (f)]
Other == [x |-> x + 1, f |-> f]
Swapped == [x |-> f, f |-> x]
Built == [x |-> x] @@ [f |-> f]
P == <>(x = 1)
====
`)
	write(t, folder, "Random.dot", twoStates)
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, changes := range map[string]bool{"Same": false, "Other": true, "Swapped": true, "Built": true, "Missing": true} {
		write(t, folder, "Random.cfg", "ALIAS "+name+"\nPROPERTY P\n")
		s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.On(ctx, m.LTS, m.States, false); (err != nil) != changes || err != nil && !strings.Contains(err.Error(), "Random.cfg:1: ALIAS makes TLC write other values") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.On(ctx, m.LTS, m.States, true); err != nil {
			t.Errorf("%s, on a graph that was written without: %v", name, err)
		}
	}
}

// TestStatesWithoutValues: a state whose values are not known, since TLC wrote others, satisfies nothing.
func TestStatesWithoutValues(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLES x, f\nP == [](x # 0)\n====\n")
	write(t, folder, "Random.cfg", "PROPERTY P\n")
	write(t, folder, "Random.dot", strings.Replace(strings.Replace(twoStates, "\\\\ x = 0", "\\\\ y = 0", 1), `2 [label="/\\ x = 1\n/\\ f = <<1, 2>>"]`, `2 [label="/\\ y = 1\n/\\ f = <<1, 2>>",tooltip="/\\ x = 1\n/\\ f = <<1, 2>>"];`, 1))
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.On(ctx, m.LTS, m.States, false); err == nil || !strings.Contains(err.Error(), "state 0 has no value of x") {
		t.Errorf("error %v", err)
	}
}
