package summary

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
)

// TestPageIsReadWithoutItsScript: what has to be looked at stands in the page itself.
func TestPageIsReadWithoutItsScript(t *testing.T) {
	_, text, _ := strings.Cut(written(t, HTMLFile, sample()), `<section class="card look"`)
	text, _, found := strings.Cut(text, "</section>")
	if n := strings.Count(text, "<li class="); !found || n != 11 {
		t.Errorf("without the script there are %d jobs, want all but those that are as expected", n)
	}
	for _, want := range []string{`violated, 3 transitions; expected: satisfied; newly violated</span> <a href="jobs/job-0001733d/page.html"><code>broken again</code></a><br><span class="said">After step 3`, `timeout; newly failed</span> <code>too slow</code><br><span class="said">stopped after 5s`, "&lt;/script&gt;&lt;img"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if text := written(t, HTMLFile, Batch{Results: many(1000).Results}); !strings.Contains(text, "<p>… and ") || strings.Count(text, "<li class=") != mostFirst {
		t.Error("a long list is not cut")
	}
}

// TestPageHoldsItsData: whatever a text is, the data can be read, and the elements
// of the page are its own.
func TestPageHoldsItsData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("</script>!-->{}\"'&\u2028")))).Draw(t, "name")
		b := Batch{Manifest: name, Version: name, Differences: &baseline.Differences{Baseline: name, List: []baseline.Difference{{Name: name, Change: baseline.Removed, Old: name}}}}
		r := samplebatch.Result(name, name, name, samplebatch.Violated(&batch.Counterexample{Kind: counterexample.Deadlock, Length: 1, Labels: []string{name}, LoopStart: -1, Sentence: name}), samplebatch.Tagged(name))
		r.Files["page"] = name
		b.Results = []batch.Result{r}
		var out strings.Builder
		if err := b.HTML(&out); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "<script"); n != 3 || strings.Count(out.String(), "</script") != n {
			t.Fatalf("there are %d scripts", n)
		}
		_, data, _ := strings.Cut(out.String(), `id="jobs">`)
		data, _, _ = strings.Cut(data, "</script>")
		var jobs []jobData
		if err := json.Unmarshal([]byte(data), &jobs); err != nil {
			t.Fatal(err)
		}
		if jobs[0].Name != name || jobs[0].Labels[0] != name || jobs[0].Sentence != name {
			t.Fatalf("%q is read as %+v", name, jobs[0])
		}
	})
}
