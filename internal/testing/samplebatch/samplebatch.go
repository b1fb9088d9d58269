// Package samplebatch has results of a batch in which every kind of result occurs, for tests of
// summaries. Only tests import it. A returned value depends on the arguments alone, and belongs to
// the caller.
package samplebatch

import (
	"fmt"
	"time"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/neighbourhood"
)

// Hostile is a text that attacks the outputs: it begins a formula of a spreadsheet, ends
// elements, cells and strings, mentions people, reverses the direction of writing, and has
// bytes that are neither text nor XML.
const Hostile = "=cmd|' /C calc'!A0 </script><img src=x onerror=alert(1)>]]>&amp; \"'`|\\| @all #1 [x](javascript:alert(1)) ${7*7} \u202e\u200b\x00\x1b[31m\xff\ufffe\n\r\t{{.}}"

// Results returns the results of a batch with every kind of result, in the order of its
// manifest.
func Results() []batch.Result {
	return []batch.Result{
		Result("abp.aut: Inev(GET)", "models/abp.aut", "Inev(GET)", Violated(Lasso())),
		Result("abp.aut: Inev(PUT)", "models/abp.aut", "Inev(PUT)", Satisfied),
		Result("courier", "models/courier.aut", "Inev(SEND, DELIVER)", Violated(Deadlock()),
			Expecting("violated"), Tagged("nightly", "service")),
		Result("fixed at last", "models/courier.aut", "Inev(ORDER)", Satisfied,
			Expecting("violated"), Tagged("nightly")),
		Result("broken again", "models/courier.aut", "Inev(PAY)", Violated(Deadlock()),
			Expecting("satisfied"), Tagged("service"), Assuming("full")),
		Result("no model", "models/gone.aut", "Inev(A)",
			Failed(batch.Failed, "models/gone.aut: there is no such file")),
		Result("too slow", "models/large.aut.gz", "Inev(A)",
			Failed(batch.TimedOut,
				"stopped after 5s; raise the limit by timeout: in the manifest")),
		Result("panics", "models/abp.aut", "Inev(GET)",
			Failed(batch.Crashed, "index out of range [3] with length 3; the log has the stack"), Wrote("log")),
		Result(Hostile, "models/"+Hostile+".aut", "Inev(/"+Hostile+"/)", Violated(HostileRun()),
			Tagged(Hostile)),
		Result("canceled", "models/abp.aut", "Inev(TIMEOUT)",
			Failed(batch.Canceled, "the batch was stopped")),
		Result("long run", "models/long.aut", "Inev(END)", Violated(LongRun(250)),
			Assuming("weak:each", "finitely:LOSE")),
		Result("nothing happens", "models/empty.aut", "Inev(A)", Violated(&batch.Counterexample{
			Kind:      counterexample.Deadlock,
			Shortest:  true,
			LoopStart: -1,
			Sentence:  "The run stops in state 0 before A.",
			Diagnosis: "stops",
		})),
		Result("warned of", "models/abp.aut", "Inev({PUT, x})", Satisfied,
			Warning("step 1, {PUT, x}: \"x\" matches no label of the model; "+Hostile)),
	}
}

// Differences returns the differences between Results and an earlier run.
func Differences() *baseline.Differences {
	return &baseline.Differences{Baseline: "results/yesterday", List: []baseline.Difference{
		{
			Name:   "abp.aut: Inev(GET)",
			Change: baseline.Longer,
			Old:    "violated, 2 transitions",
			New:    "violated, 3 transitions",
		},
		{Name: "fixed at last", Change: baseline.NewlySatisfied, Old: "violated, 4 transitions", New: "satisfied"},
		{Name: "broken again", Change: baseline.NewlyViolated, Old: "satisfied", New: "violated, 3 transitions"},
		{Name: "too slow", Change: baseline.NewlyFailed, Old: "satisfied", New: "timeout"},
		{Name: Hostile, Change: baseline.Added, New: "violated, 2 transitions"},
		{Name: "given up", Change: baseline.Removed, Old: "satisfied"},
	},
	}
}

// reason returns the reason of a deciding step that has a name.
func reason(name string) (r explain.DecidingReason) {
	if err := r.UnmarshalText([]byte(name)); err != nil {
		panic(err)
	}
	return r
}

// Change changes a sample result.
type Change func(r *batch.Result)

// Result returns a result with the fields that every result has. Its times depend on its name
// only.
func Result(name, model, formula string, changes ...Change) batch.Result {
	r := batch.Result{
		Schema: batch.ResultSchema,
		Job: batch.Job{
			Name: name, Model: model, Path: "ci/" + model, Formula: formula,
			Where: batch.Position{File: "ci/nightly.yaml", Line: 1 + len(name)},
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
	Wrote("explanation", "page", "svg")(r)
}

// Satisfied is the change to a property that holds.
func Satisfied(r *batch.Result) { answered(r, batch.Satisfied) }

// Violated is the change to a property that does not hold, with its counterexample.
func Violated(c *batch.Counterexample) Change {
	return func(r *batch.Result) {
		answered(r, batch.Violated)
		r.Counterexample = c
	}
}

// Failed is the change to a job without a verdict.
func Failed(s batch.Status, message string) Change {
	return func(r *batch.Result) { r.Status, r.Error = s, message }
}

// Warning is the change that adds a warning.
func Warning(text string) Change {
	return func(r *batch.Result) { r.Warnings = append(r.Warnings, text) }
}

// Expecting sets the verdict that the manifest expects.
func Expecting(verdict string) Change {
	return func(r *batch.Result) { r.Job.Expect = verdict }
}

// Assuming sets the assumptions under which runs count.
func Assuming(fair ...string) Change {
	return func(r *batch.Result) {
		r.Job.Options.Fair = fair
		if r.Classes != nil {
			r.Classes.Excluded = 12
		}
	}
}

// Tagged sets the tags of the job.
func Tagged(tags ...string) Change {
	return func(r *batch.Result) {
		r.Job.Tags = tags
	}
}

// Wrote sets the files of the job, each by its kind.
func Wrote(kinds ...string) Change {
	names := map[string]string{
		"explanation": "explanation.json",
		"page":        "page.html",
		"svg":         "picture.svg",
		"log":         "log.txt",
	}
	return func(r *batch.Result) {
		r.Files = map[string]string{}
		for _, kind := range kinds {
			r.Files[kind] = fmt.Sprintf("jobs/job-%s/%s", r.Key, names[kind])
		}
	}
}

// Lasso returns a counterexample with a loop.
func Lasso() *batch.Counterexample {
	return &batch.Counterexample{
		Kind:      counterexample.Lasso,
		Length:    3,
		Shortest:  true,
		Labels:    []string{"SEND !0", "LOSE", "TIMEOUT"},
		Lines:     []int{4, 7, 9},
		LoopStart: 1,
		Decisions: []batch.Decision{{
			Step:  2,
			State: "1",
			Kind:  neighbourhood.Mixed,
			Label: "LOSE",
		}},
		Deciding: &batch.Deciding{
			Step:  2,
			From:  "1",
			Label: "LOSE",
			To:    "2",
			Why:   reason("last decision"),
			Line:  7,
		},
		Sentence:  "PASS is possible in 1 of the loop's 2 states, and LOSE is taken each time.",
		Diagnosis: "starved",
	}
}

// Deadlock returns a counterexample that ends.
func Deadlock() *batch.Counterexample {
	return &batch.Counterexample{
		Kind: counterexample.Deadlock, Length: 3, Shortest: true, Labels: []string{
			"ORDER",
			"REFUSE",
			"CLOSE",
		}, LoopStart: -1,
		Decisions: []batch.Decision{{Step: 2, State: "3", Kind: neighbourhood.IncorrectChoice, Label: "REFUSE"}},
		Deciding: &batch.Deciding{
			Step:  2,
			From:  "3",
			Label: "REFUSE",
			To:    "9",
			Why:   reason("point of no return"),
			Line:  14,
		},
		Sentence: "After step 3 (REFUSE) DELIVER can no longer happen.", Diagnosis: "lost",
	}
}

// HostileRun returns a counterexample with Hostile wherever there is a text.
func HostileRun() *batch.Counterexample {
	return &batch.Counterexample{
		Kind: counterexample.Deadlock, Length: 2, Labels: []string{
			Hostile,
			"END",
		}, LoopStart: -1,
		Deciding: &batch.Deciding{
			Step:  1,
			From:  Hostile,
			Label: Hostile,
			To:    "1",
			Why:   reason("diagnosis"),
		},
		Sentence: Hostile + " happens (step 1).", Diagnosis: "forbidden", Prevention: Hostile + " alone can prevent it.",
	}
}

// LongRun returns a counterexample of n steps.
func LongRun(n int) *batch.Counterexample {
	c := &batch.Counterexample{
		Kind:      counterexample.Lasso,
		Length:    n,
		Shortest:  true,
		LoopStart: n - 1,
	}
	for i := range n {
		c.Labels = append(c.Labels, fmt.Sprintf("STEP !%d", i))
	}
	c.Deciding = &batch.Deciding{
		Step:  n,
		From:  fmt.Sprint(n - 1),
		Label: c.Labels[n-1],
		To:    fmt.Sprint(n - 1),
		Why:   reason("last step"),
		Line:  n + 1,
	}
	return c
}

// Many returns the results of n jobs.
func Many(n int) []batch.Result {
	var results []batch.Result
	for i := range n {
		model := fmt.Sprintf("models/system-%03d.aut", i%100)
		formula := fmt.Sprintf("Inev(A%d)", i/100)
		var r batch.Result
		switch {
		case i%7 == 3:
			r = Result(fmt.Sprintf("job %05d", i), model, formula, Violated(Deadlock()),
				Tagged("odd"))
		case i%101 == 5:
			r = Result(fmt.Sprintf("job %05d", i), model, formula,
				Failed(batch.TimedOut, "stopped after 5s"))
		default:
			r = Result(fmt.Sprintf("job %05d", i), model, formula, Satisfied,
				Tagged(fmt.Sprintf("group-%d", i%4)))
		}
		r.Milli = float64(i%997) + 0.5
		results = append(results, r)
	}
	return results
}
