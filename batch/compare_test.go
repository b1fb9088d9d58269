package batch

import (
	"reflect"
	"strings"
	"testing"
)

// outcome returns a result in short: s satisfied, e error, t timeout, vN violated by N
// transitions, and with the label at which it is decided behind a slash.
func outcome(name, short string) Result {
	r := Result{Job: Job{Name: name}}
	switch short[0] {
	case 's':
		r.Status = Satisfied
	case 'e':
		r.Status = Failed
	case 't':
		r.Status = TimedOut
	case 'v':
		r.Status = Violated
		length, decided, _ := strings.Cut(short[1:], "/")
		r.Counterexample = &Counterexample{Length: int(length[0] - '0')}
		for i, label := range strings.Split(decided, "") {
			r.Counterexample.Decisions = append(r.Counterexample.Decisions, Decision{Step: i + 1, State: "7", Label: label})
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
		got := Compare([]Result{outcome("x", c.old)}, []Result{outcome("x", c.current)}).List
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
	old := []Result{outcome("gone", "v1"), outcome("a", "s"), outcome("b", "v2/ABCDE"), outcome("also gone", "s")}
	current := []Result{outcome("new", "e"), outcome("b", "v3/A"), outcome("a", "s")}
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

func TestGates(t *testing.T) {
	expecting := func(name, short, expect string) Result {
		r := outcome(name, short)
		r.Job.Expect = expect
		r.Unexpected = unexpected(r.Job, r.Status)
		return r
	}
	old := []Result{
		outcome("b", "s"), outcome("c", "v1"), outcome("d", "e"), outcome("e", "s"), outcome("f", "v1"), outcome("g", "e"), outcome("k", "v1"),
		outcome("n", "s"), outcome("o", "e"), outcome("p", "t"),
	}
	current := []Result{
		outcome("a", "s"), outcome("b", "v1"), outcome("c", "v2"), outcome("d", "t"), outcome("e", "e"), outcome("f", "e"), outcome("g", "v1"),
		outcome("h", "v1"), expecting("i", "v1", "violated"), expecting("j", "s", "violated"), outcome("k", "s"), expecting("l", "e", "violated"), expecting("m", "s", "satisfied"),
		expecting("n", "s", "violated"), outcome("o", "e"), expecting("p", "t", "violated"),
	}
	for gate, want := range map[Gate]string{
		onUnexpected: "bcdefghjlnop", onAny: "bcdefghilop", onNew: "befghjlno", onNone: "",
	} {
		var got strings.Builder
		for _, r := range gate.Failing(current, old) {
			got.WriteString(r.Job.Name)
		}
		if got.String() != want {
			t.Errorf("%s: %s fail, want %s", gate, got.String(), want)
		}
		var parsed Gate
		if err := parsed.Set(string(gate)); parsed != gate || err != nil {
			t.Error(parsed, err)
		}
	}
	if err := new(Gate).Set("some"); err == nil {
		t.Error("there is a gate some")
	}
}
