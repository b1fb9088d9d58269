package oracle_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/lts"
)

// mutex is an algorithm for mutual exclusion, with what each label needs.
type mutex struct {
	m     *lts.LTS
	needs func(label string) []string
	// names are all components, sets[l] those of a label as bits; blocking labels may be refused.
	names    []string
	sets     []uint32
	blocking []bool
}

// newMutex reads an example; without registers, who acts is the only component of an action.
func newMutex(t *testing.T, name string, registers bool, blocking string) *mutex {
	t.Helper()
	ctx := context.Background()
	model, err := os.ReadFile("../../../examples/" + name + "/" + name + ".aut")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := aut.Read(ctx, bytes.NewReader(model), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../examples/" + name + "/registers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lanes, err := view.ReadLanes(ctx, bytes.NewReader(text), "registers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	x := &mutex{m: m, needs: lanes.Components}
	if !registers {
		x.needs = func(label string) []string { return lanes.Components(label)[:1] }
	}
	for _, label := range x.m.Alphabet().All() {
		set := uint32(0)
		for _, c := range x.needs(label) {
			if !slices.Contains(x.names, c) {
				x.names = append(x.names, c)
			}
			set |= 1 << slices.Index(x.names, c)
		}
		if set == 0 {
			t.Fatalf("%s: nobody does %s", name, label)
		}
		x.sets = append(x.sets, set)
		x.blocking = append(x.blocking, blocking != "" && strings.HasPrefix(label, strings.Trim(blocking, `"`)))
	}
	return x
}

// violates reports whether some just run does trigger (nothing if it is ""), and then nothing that begins
// with enter:
// for each set of components it looks for a loop that takes those again and again and no others, and
// meets only states where whatever is possible and cannot be refused needs one of them.
func (x *mutex) violates(trigger, enter string) bool {
	a := x.m.Alphabet()
	avoid := func(lts.Transition) bool { return true }
	without := func(t lts.Transition) bool { return !strings.HasPrefix(a.Text(t.Label), enter) }
	from := []lts.State{x.m.Initial()}
	if trigger != "" {
		visited := x.reached(from, avoid)
		from = nil
		for t := range x.m.Transitions() {
			if visited[t.From] && a.Text(t.Label) == trigger {
				from = append(from, t.To)
			}
		}
	}
	visited := x.reached(from, without)
	for set := range uint32(1) << len(x.names) {
		allowed := func(s lts.State) bool { return visited[s] && x.excused(s, set) }
		if set == 0 {
			for s := range visited {
				if allowed(s) {
					return true // only what may be refused is possible
				}
			}
			continue
		}
		inside := func(t lts.Transition) bool {
			return without(t) && allowed(t.From) && allowed(t.To) && x.sets[t.Label]&^set == 0
		}
		for s := range visited {
			if allowed(s) && x.comesBack(s, set, inside) {
				return true
			}
		}
	}
	return false
}

// excused reports whether all that is possible in a state may be refused, or needs one of some
// components.
func (x *mutex) excused(s lts.State, set uint32) bool {
	labels, _ := x.m.Out(s)
	for i := range labels.Len() {
		if l := labels.At(i); !x.blocking[l] && x.sets[l]&set == 0 {
			return false
		}
	}
	return true
}

func (x *mutex) reached(from []lts.State, takes func(lts.Transition) bool) map[lts.State]bool {
	visited := map[lts.State]bool{}
	for open := from; len(open) > 0; open = open[1:] {
		s := open[0]
		if visited[s] {
			continue
		}
		visited[s] = true
		labels, targets := x.m.Out(s)
		for i, to := range targets {
			if takes(lts.Transition{From: s, Label: labels.At(i), To: to}) {
				open = append(open, to)
			}
		}
	}
	return visited
}

// comesBack reports whether a loop at a state takes all of these components.
func (x *mutex) comesBack(s lts.State, set uint32, inside func(lts.Transition) bool) bool {
	ahead := x.reached([]lts.State{s}, inside)
	taken := uint32(0)
	for t := range x.m.Transitions() {
		if ahead[t.From] && inside(t) && x.reached([]lts.State{t.To}, inside)[s] {
			taken |= x.sets[t.Label]
		}
	}
	return taken == set
}

// TestJustnessOfMutualExclusion compares what is said of Peterson's and Dekker's algorithms with
// all sets of components that a loop could take. As far as it speaks of these models, the literature
// agrees: where reading a register interferes with writing it, as in standard process algebra, no
// algorithm for mutual exclusion is free of starvation unless fairness is assumed (van Glabbeek, Modelling
// Mutual Exclusion in a Process Algebra with Time-outs, 2023, section 1, after Kindler and Walter 1997
// and Vogler 2002); where it does not, Peterson's algorithm for two processes is (Dyseryn, van
// Glabbeek, Höfner, EXPRESS/SOS 2017). Verdicts of other tools are not compared.
func TestJustnessOfMutualExclusion(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"peterson", "dekker"} {
		for _, registers := range []bool{false, true} {
			for _, blocking := range []string{"", "NCS", `"NCS !0"`} {
				x := newMutex(t, name, registers, blocking)
				for text, of := range map[string][2]string{
					`Inev("ENTER !0")`: {"", "ENTER !0"},
					`Response("WRITE_FLAG !0 !TRUE"; "ENTER !0")`: {"WRITE_FLAG !0 !TRUE", "ENTER !0"},
					`Response("WRITE_FLAG !1 !TRUE"; "ENTER !1")`: {"WRITE_FLAG !1 !TRUE", "ENTER !1"},
					// Somebody enters, at least: freedom from deadlock.
					`Inev(ENTER)`:                            {"", "ENTER"},
					`Response("WRITE_FLAG !0 !TRUE"; ENTER)`: {"WRITE_FLAG !0 !TRUE", "ENTER"},
				} {
					// If process 0 may stay out, the other one enters.
					oneStaysOut := of[1] == "ENTER" && strings.Contains(blocking, "!0")
					known := registers || blocking != "" && of[0] == "" && !oneStaysOut
					if is := x.violates(of[0], of[1]); is != known {
						t.Errorf("%s, registers %t, blocking %q: %s violated: %t", name, registers, blocking, text, is)
					}
					f, err := formula.Parse(ctx, text)
					if err != nil {
						t.Fatal(err)
					}
					o := explain.Options{}
					assumed := []string{"just"}
					if blocking != "" {
						assumed = append(assumed, "blocking:"+blocking)
					}
					for _, assumption := range assumed {
						a, err := actl.ParseAssumption(ctx, assumption)
						if err != nil {
							t.Fatal(err)
						}
						o.Fair = append(o.Fair, a.On(x.needs))
					}
					e, err := explain.Check(ctx, x.m, f, o)
					if err != nil {
						t.Fatal(err)
					}
					if is := e.Verdict == explain.Violated; is != known {
						t.Errorf("%s, registers %t, blocking %q: %s said to be violated: %t", name, registers, blocking, text, is)
					}
				}
			}
		}
	}
}
