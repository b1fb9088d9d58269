package liveness_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// TestFormsThatTLCRefuses: a note tells of the formulas that TLC refuses as properties, and of no other. TLC 2026 has answered, or refused, each
// of these ("Temporal formulas containing actions must be of forms <>[]A or []<>A").
func TestFormsThatTLCRefuses(t *testing.T) {
	folder := t.TempDir()
	g := &graph{n: 4, edges: map[[2]int]bool{{0, 1}: true, {1, 2}: true, {2, 3}: true, {3, 0}: true}, initial: []int{0}}
	write(t, folder, "Random.dot", g.dot())
	write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers
VARIABLE x
Init == x = 0
A == x < 3 /\ x' = x + 1
B == x' = 0
Next == A \/ B
Spec == Init /\ [][Next]_x /\ WF_x(Next)
====
`)
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\n")
	for form, refused := range map[string]bool{
		`<><<A>>_x`:                              true,
		`[]<><<A>>_x`:                            false,
		`<>[][A]_x`:                              false,
		`x = 0 => []<><<A>>_x`:                   false,
		`x = 0 => [][A]_x`:                       true,
		`[](x = 0 => <><<A>>_x)`:                 true,
		`~[][A]_x`:                               true,
		`<>[](x = 0) \/ []<><<A>>_x`:             false,
		`[](x = 1 => []<><<A>>_x)`:               true,
		`[][A]_x \/ <>(x = 5)`:                   true,
		`WF_x(A) => <>(x = 1)`:                   false,
		`[](x = 1 => WF_x(A))`:                   true,
		`[]<><<A>>_x /\ [][A]_x`:                 false,
		`[]<>([][A]_x)`:                          true,
		`<>[](<><<A>>_x)`:                        true,
		`~<><<A>>_x`:                             true,
		`[](x = 0 => [][A]_x)`:                   true,
		`~(<>[][A]_x)`:                           false,
		`x = 0 /\ [][A \/ B]_x`:                  false,
		`[]<>(ENABLED <<A>>_x)`:                  false,
		`<>[]~(ENABLED <<A>>_x)`:                 false,
		`[](ENABLED <<A>>_x => <>(x = 1))`:       false,
		`[]<><<A>>_x => []<><<B>>_x`:             false,
		`\A k \in {1, 2} : []<><<A /\ x = k>>_x`: false,
		`\A k \in {1, 2} : [][A => x = k]_x`:     false,
		`\E k \in {1, 2} : [][A => x = k]_x`:     true,
		`[][A]_x <=> <>[](x = 1)`:                true,
		`x = 1 ~> x = 2`:                         false,
	} {
		ctx := t.Context()
		s, err := liveness.Load(ctx, folder+"/Random.tla", folder+"/Random.cfg", nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := format.Open(ctx, folder+"/Random.dot", format.Options{Name: "Random.dot", States: true})
		if err != nil {
			t.Fatal(err)
		}
		on, err := s.On(ctx, m.LTS, m.States, false)
		if err != nil {
			t.Fatal(err)
		}
		instances, err := s.Instances(ctx, form)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range instances {
			if _, err := on.Ask(ctx, i); err != nil {
				t.Errorf("%s: %v", form, err)
			}
		}
		isTold := strings.Contains(strings.Join(on.Notes(), "; "), "TLC refuses")
		if isTold != refused {
			t.Errorf("%s: TLC refuses it: %t, notes %q", form, refused, on.Notes())
		}
	}
}

// TestNamesOfInstances: an instance has the name of the definition that says it, also if the definition is a list of one item; the
// conjuncts of a definition have their own texts.
func TestNamesOfInstances(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", `---- MODULE Random ----
EXTENDS Integers
VARIABLE x
Spec == x = 0 /\ [][x' = 1]_x
One == /\ \/ <>(x = 1)
          \/ <>[](x = 2)
Each == /\ \A k \in 1 .. 2 : <>(x = k)
Two == /\ <>(x = 1)
       /\ One
====
`)
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\n")
	for property, want := range map[string]string{
		"One":  "One",
		"Each": "Each (k = 1), Each (k = 2)",
		"Two":  "<>(x = 1), One",
	} {
		s, err := liveness.Load(t.Context(), folder+"/Random.tla", folder+"/Random.cfg", nil)
		if err != nil {
			t.Fatal(err)
		}
		instances, err := s.Instances(t.Context(), property)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range instances {
			names = append(names, i.Name)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s has %s, want %s", property, got, want)
		}
	}
}
