package baseline

import (
	"reflect"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
)

// outcome returns a result in short: s satisfied, e error, t timeout, vN violated by N
// transitions, and with the label at which it is decided behind a slash.
func outcome(name, short string) batch.Result {
	r := batch.Result{Job: batch.Job{Name: name}}
	switch short[0] {
	case 's':
		r.Status = batch.Satisfied
	case 'e':
		r.Status = batch.Failed
	case 't':
		r.Status = batch.TimedOut
	case 'v':
		r.Status = batch.Violated
		length, decided, _ := strings.Cut(short[1:], "/")
		r.Counterexample = &batch.Counterexample{Length: int(length[0] - '0')}
		for i, label := range strings.Split(decided, "") {
			r.Counterexample.Decisions = append(r.Counterexample.Decisions, batch.Decision{Step: i + 1, State: "7", Label: label})
		}
	}
	return r
}

func TestCompare(t *testing.T) {
	cases := []struct {
		old, current string
		want         Change
	}{
		{"s", "s", ""}, {"s", "v1", NewlyViolated}, {"s", "e", NewlyFailed}, {"s", "t", NewlyFailed},
		{"v1", "s", NewlySatisfied}, {"v2", "v3", Longer}, {"v3", "v2", Shorter}, {"v3", "v3", ""}, {"v3/A", "v3/A", ""},
		{"v3/A", "v3/B", OtherDecisions}, {"v3/A", "v3/AB", OtherDecisions}, {"v3/A", "v4/B", Longer}, {"v1", "t", NewlyFailed},
		{"e", "s", Repaired}, {"e", "v1", NewlyViolated}, {"e", "t", ""},
	}
	for _, c := range cases {
		got := Compare([]batch.Result{outcome("x", c.old)}, []batch.Result{outcome("x", c.current)}).List
		if c.want == "" {
			if len(got) > 0 {
				t.Errorf("%s, now %s: %+v", c.old, c.current, got)
			}
		} else if len(got) != 1 || got[0].Change != c.want || got[0].Name != "x" {
			t.Errorf("%s, now %s: %+v, want %s", c.old, c.current, got, c.want)
		}
	}
}

func TestCompareLists(t *testing.T) {
	old := []batch.Result{outcome("gone", "v1"), outcome("a", "s"), outcome("b", "v2/ABCDE"), outcome("also gone", "s")}
	current := []batch.Result{outcome("new", "e"), outcome("b", "v3/A"), outcome("a", "s")}
	want := []Difference{
		{Name: "new", Change: Added, New: "error"},
		{Name: "b", Change: Longer, Old: "violated, 2 transitions", New: "violated, 3 transitions, decided by A at state 7"},
		{Name: "gone", Change: Removed, Old: "violated, 1 transition"},
		{Name: "also gone", Change: Removed, Old: "satisfied"},
	}
	if got := Compare(old, current).List; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

// TestDecisionsAreCompared: decisions are the same if the model is only renumbered, and those that differ are
// told, however many are before them.
func TestDecisionsAreCompared(t *testing.T) {
	old, renumbered := outcome("x", "v6/ABCDE"), outcome("x", "v6/ABCDE")
	for i := range renumbered.Counterexample.Decisions {
		d := &renumbered.Counterexample.Decisions[i]
		d.State, d.Kind, d.Line = "9", d.Kind+1, 12
	}
	if got := Compare([]batch.Result{old}, []batch.Result{renumbered}).List; len(got) > 0 {
		t.Errorf("renumbered: %+v", got)
	}
	got := Compare([]batch.Result{old}, []batch.Result{outcome("x", "v6/ABCDF")}).List
	want := []Difference{{
		Name:   "x",
		Change: OtherDecisions,
		Old:    "violated, 6 transitions, decided by … (4 in common), E at state 7",
		New:    "violated, 6 transitions, decided by … (4 in common), F at state 7",
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
}

func number(n int) *int { return &n }

// TestMarginsAreCompared: differences in bounds and faults of the same verdict.
func TestMarginsAreCompared(t *testing.T) {
	with := func(most *int, least *int) batch.Result {
		return batch.Result{Job: batch.Job{Name: "a"}, Status: batch.Satisfied, Bounds: []batch.Bound{{Step: 1, Of: "REQ … ACK", Most: most, Least: 1}}, Faults: []batch.Faults{{Patterns: "LOSS", Least: least}}}
	}
	for _, c := range []struct {
		old, current batch.Result
		want         Difference
	}{
		{with(number(7), nil), with(number(9), nil), Difference{Name: "a", Change: Slower, Old: "satisfied, REQ … ACK within 7 actions, LOSS: any number", New: "satisfied, REQ … ACK within 9 actions, LOSS: any number"}},
		{with(number(7), nil), with(number(6), nil), Difference{Name: "a", Change: Faster, Old: "satisfied, REQ … ACK within 7 actions, LOSS: any number", New: "satisfied, REQ … ACK within 6 actions, LOSS: any number"}},
		{with(number(7), nil), with(nil, nil), Difference{Name: "a", Change: Slower, Old: "satisfied, REQ … ACK within 7 actions, LOSS: any number", New: "satisfied, REQ … ACK no bound, LOSS: any number"}},
		{with(number(7), number(3)), with(number(7), number(2)), Difference{Name: "a", Change: FewerFaults, Old: "satisfied, REQ … ACK within 7 actions, LOSS: 3", New: "satisfied, REQ … ACK within 7 actions, LOSS: 2"}},
		{with(number(7), number(3)), with(number(7), nil), Difference{Name: "a", Change: MoreFaults, Old: "satisfied, REQ … ACK within 7 actions, LOSS: 3", New: "satisfied, REQ … ACK within 7 actions, LOSS: any number"}},
	} {
		if got := Compare([]batch.Result{c.old}, []batch.Result{c.current}).List; !reflect.DeepEqual(got, []Difference{c.want}) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	violated := func(length, least int) batch.Result {
		return batch.Result{Job: batch.Job{Name: "a"}, Status: batch.Violated, Counterexample: &batch.Counterexample{Length: length}, Faults: []batch.Faults{{Patterns: "LOSS", Least: number(least)}}}
	}
	for _, c := range []struct {
		length, least int
		want          Change
		now           string
	}{
		{7, 2, FewerFaults, "violated, 7 transitions, LOSS: 2"}, {4, 4, MoreFaults, "violated, 4 transitions, LOSS: 4"}, {7, 3, Longer, "violated, 7 transitions"},
	} {
		got := Compare([]batch.Result{violated(5, 3)}, []batch.Result{violated(c.length, c.least)}).List
		if len(got) != 1 || got[0].Change != c.want || got[0].New != c.now {
			t.Errorf("%+v, want %s, %s", got, c.want, c.now)
		}
	}
	same := with(number(7), number(3))
	if got := Compare([]batch.Result{same}, []batch.Result{same}).List; got != nil {
		t.Error(got)
	}
}
