package batch

import (
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

func TestGates(t *testing.T) {
	expecting := func(name, short, expect string) Result {
		r := outcome(name, short)
		r.Job.Expect = expect
		r.Unexpected = isUnexpected(r.Job, r.Status)
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
