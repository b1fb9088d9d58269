package buchi

import (
	"reflect"
	"testing"
)

func TestSteps(t *testing.T) {
	const header = "HOA: v1 AP: 3 \"a\" \"t\" \"x y\" Alias: @0-b 1 Acceptance: 1 Inf(0) "
	for _, test := range []struct {
		name, text string
		lasso      Lasso
		want       []Step
	}{
		{"names", header + `Start: 0 --BODY-- State: 0 "first" [0&!1] 1 State: 1 {0} [@0-b|2] 0 --END--`, Lasso{[]State{0, 1}, 0},
			[]Step{{0, 1, "first", `a&!"t"`}, {1, 0, "", `@0-b|"x y"`}}},
		{"the loop", header + `Start: 0 --BODY-- State: 0 [t] 1 [0] 0 State: 1 {0} [f|2] 1 [1] 0 --END--`, Lasso{[]State{0, 1}, 1},
			[]Step{{0, 1, "", "t"}, {1, 1, "", `f|"x y"`}}},
		// State 0 becomes two, 0 and 2; 3 is the new initial state.
		{"numbers of the file", header + `Start: 0 --BODY-- State: 0 [0] 1 {0} [!0] 1 State: 1 [1] 0 --END--`, Lasso{[]State{3, 1, 2}, 1},
			[]Step{{NoState, 1, "", "a"}, {1, 0, "", `"t"`}, {0, 1, "", "a"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := readHOA(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.lasso.Check(d.Automaton); err != nil {
				t.Fatal(err, describe(d))
			}
			if got := d.Steps(test.lasso); !reflect.DeepEqual(got, test.want) {
				t.Errorf("steps %+v, want %+v", got, test.want)
			}
		})
	}
}
