package summary

import (
	"fmt"
	"time"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/neighbourhood"
)

// hostile is what a name should not be: it begins a formula of a spreadsheet, ends
// elements, cells and strings, calls people, turns the direction of what follows,
// and holds bytes that are neither text nor XML.
const hostile = "=cmd|' /C calc'!A0 </script><img src=x onerror=alert(1)>]]>&amp; \"'`|\\| @all #1 [x](javascript:alert(1)) ${7*7} \u202e\u200b\x00\x1b[31m\xff\ufffe\n\r\t{{.}}"

// sample is a batch in which everything occurs.
func sample() Batch {
	results := []batch.Result{
		result("abp.aut: Inev(GET)", "models/abp.aut", "Inev(GET)", violated(lasso())),
		result("abp.aut: Inev(PUT)", "models/abp.aut", "Inev(PUT)", satisfied),
		result("courier", "models/courier.aut", "Inev(SEND, DELIVER)", violated(deadlock()), expecting("violated"), tagged("nightly", "service")),
		result("fixed at last", "models/courier.aut", "Inev(ORDER)", satisfied, expecting("violated"), tagged("nightly")),
		result("broken again", "models/courier.aut", "Inev(PAY)", violated(deadlock()), expecting("satisfied"), tagged("service")),
		result("no model", "models/gone.aut", "Inev(A)", failed(batch.Failed, "models/gone.aut: there is no such file")),
		result("too slow", "models/large.aut.gz", "Inev(A)", failed(batch.TimedOut, "stopped after 5s; raise the limit by timeout: in the manifest")),
		result("panics", "models/abp.aut", "Inev(GET)", failed(batch.Crashed, "index out of range [3] with length 3; the log has the stack"), wrote("log")),
		result(hostile, "models/"+hostile+".aut", "Inev(/"+hostile+"/)", violated(hostileRun()), tagged(hostile)),
		result("canceled", "models/abp.aut", "Inev(TIMEOUT)", failed(batch.Canceled, "the batch was stopped")),
		result("long run", "models/long.aut", "Inev(END)", violated(longRun(250))),
		result("nothing happens", "models/empty.aut", "Inev(A)", violated(&batch.Counterexample{Kind: counterexample.Deadlock, Shortest: true, LoopStart: -1, Sentence: "Nothing happens at all."})),
		result("warned of", "models/abp.aut", "Inev({PUT, x})", satisfied, warning("step 1, {PUT, x}: \"x\" matches no label of the model; "+hostile)),
	}
	return Batch{
		Manifest: "ci/nightly.yaml", Version: "1.4.0", Results: results,
		Differences: &batch.Differences{Baseline: "results/yesterday", List: []batch.Difference{
			{Name: "abp.aut: Inev(GET)", Change: batch.Longer, Old: "violated, 2 transitions", New: "violated, 3 transitions"},
			{Name: "fixed at last", Change: batch.NewlySatisfied, Old: "violated, 4 transitions", New: "satisfied"},
			{Name: "broken again", Change: batch.NewlyViolated, Old: "satisfied", New: "violated, 3 transitions"},
			{Name: "too slow", Change: batch.NewlyFailed, Old: "satisfied", New: "timeout"},
			{Name: hostile, Change: batch.Added, New: "violated, 2 transitions"},
			{Name: "given up", Change: batch.Removed, Old: "satisfied"},
		}},
	}
}

type change func(r *batch.Result)

// result makes a result with what every result has. Its times depend on its name only.
func result(name, model, formula string, changes ...change) batch.Result {
	r := batch.Result{
		Schema: batch.ResultSchema,
		Job: batch.Job{
			Name: name, Model: model, Path: "ci/" + model, Formula: formula,
			Where: batch.Place{File: "ci/nightly.yaml", Line: 1 + len(name)},
		},
		Key:     fmt.Sprintf("%08x", len(name)*7919+len(formula)),
		Started: time.Date(2026, 3, 1, 2, 0, len(name)%60, 0, time.UTC).Format(time.RFC3339),
		Milli:   float64(len(name)*len(formula)) + 0.125, TimingsMS: map[string]float64{"read": 0.5, "explain": 1.25},
	}
	for _, change := range changes {
		change(&r)
	}
	r.Unexpected = r.Status.Answered() && r.Job.Expected() != r.Status
	return r
}

func answered(r *batch.Result, s batch.Status) {
	r.Status = s
	r.Model = &batch.ModelSize{States: 91, Transitions: 172, Labels: 23}
	r.Classes = &batch.Classes{Correct: 73, Incorrect: 75, Neutral: 24}
	r.Neighbourhoods = 5
	wrote("explanation", "page", "svg")(r)
}

func satisfied(r *batch.Result) { answered(r, batch.Satisfied) }

func violated(c *batch.Counterexample) change {
	return func(r *batch.Result) {
		answered(r, batch.Violated)
		r.Counterexample = c
	}
}

func failed(s batch.Status, message string) change {
	return func(r *batch.Result) { r.Status, r.Error = s, message }
}

func warning(text string) change {
	return func(r *batch.Result) { r.Warnings = append(r.Warnings, text) }
}

func expecting(verdict string) change { return func(r *batch.Result) { r.Job.Expect = verdict } }

func tagged(tags ...string) change { return func(r *batch.Result) { r.Job.Tags = tags } }

func wrote(kinds ...string) change {
	names := map[string]string{"explanation": "explanation.json", "page": "page.html", "svg": "picture.svg", "log": "log.txt"}
	return func(r *batch.Result) {
		r.Files = map[string]string{}
		for _, kind := range kinds {
			r.Files[kind] = fmt.Sprintf("jobs/job-%s/%s", r.Key, names[kind])
		}
	}
}

func lasso() *batch.Counterexample {
	return &batch.Counterexample{
		Kind: counterexample.Lasso, Length: 3, Shortest: true, Labels: []string{"SEND !0", "LOSE", "TIMEOUT"}, Lines: []int{4, 7, 9}, LoopStart: 1,
		Decisions: []batch.Decision{{Step: 2, State: "1", Kind: neighbourhood.Mixed, Label: "LOSE"}},
		Deciding:  &batch.Deciding{From: "1", Label: "LOSE", To: "2", Why: "last decision", Line: 7},
		Sentence:  "In state 1, the run does LOSE; PASS would have made the property certain.",
	}
}

func deadlock() *batch.Counterexample {
	return &batch.Counterexample{
		Kind: counterexample.Deadlock, Length: 3, Shortest: true, Labels: []string{"ORDER", "REFUSE", "CLOSE"}, LoopStart: -1,
		Decisions: []batch.Decision{{Step: 2, State: "3", Kind: neighbourhood.IncorrectChoice, Label: "REFUSE"}},
		Deciding:  &batch.Deciding{From: "3", Label: "REFUSE", To: "9", Why: "point of no return", Line: 14},
		Sentence:  "In state 3, the run does REFUSE, after which DELIVER can no longer happen; ACCEPT would have kept it possible.",
	}
}

func hostileRun() *batch.Counterexample {
	return &batch.Counterexample{
		Kind: counterexample.Deadlock, Length: 2, Labels: []string{hostile, "END"}, LoopStart: -1,
		Deciding: &batch.Deciding{From: hostile, Label: hostile, To: "1", Why: "last step"},
		Sentence: "In state 0, the run does " + hostile + ".",
	}
}

func longRun(n int) *batch.Counterexample {
	c := &batch.Counterexample{Kind: counterexample.Lasso, Length: n, Shortest: true, LoopStart: n - 1}
	for i := range n {
		c.Labels = append(c.Labels, fmt.Sprintf("STEP !%d", i))
	}
	c.Deciding = &batch.Deciding{From: fmt.Sprint(n - 1), Label: c.Labels[n-1], To: fmt.Sprint(n - 1), Why: "last step", Line: n + 1}
	return c
}

// many is a batch of n jobs.
func many(n int) Batch {
	b := Batch{Manifest: "many.csv"}
	for i := range n {
		model, formula := fmt.Sprintf("models/system-%03d.aut", i%100), fmt.Sprintf("Inev(A%d)", i/100)
		var r batch.Result
		switch {
		case i%7 == 3:
			r = result(fmt.Sprintf("job %05d", i), model, formula, violated(deadlock()), tagged("odd"))
		case i%101 == 5:
			r = result(fmt.Sprintf("job %05d", i), model, formula, failed(batch.TimedOut, "stopped after 5s"))
		default:
			r = result(fmt.Sprintf("job %05d", i), model, formula, satisfied, tagged(fmt.Sprintf("group-%d", i%4)))
		}
		r.Milli = float64(i%997) + 0.5
		b.Results = append(b.Results, r)
	}
	return b
}
