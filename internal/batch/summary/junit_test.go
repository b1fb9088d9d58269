package summary

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
)

// attribute matches the attributes that differ from run to run.
var attribute = regexp.MustCompile(` (time|timestamp)="[^"]*"`)

// rule says what an element of JUnit XML may and must have: what both the schema of
// Jenkins' xunit plugin, that of Maven Surefire, and the one by which JUnit 5 checks its own reports accept.
type rule struct {
	required, optional []string
	children           []string // in this order
	text               bool
}

var junitRules = map[string]rule{
	"testsuites": {[]string{"name", "time", "tests", "failures", "errors"}, nil, []string{"testsuite"}, false},
	"testsuite":  {[]string{"name", "tests", "failures", "errors", "skipped", "time"}, []string{"timestamp"}, []string{"properties", "testcase"}, false},
	"properties": {nil, nil, []string{"property"}, false},
	"property":   {[]string{"name", "value"}, nil, nil, false},
	"testcase":   {[]string{"name", "classname", "time"}, nil, []string{"failure", "skipped", "error", "system-out"}, false},
	"failure":    {[]string{"message", "type"}, nil, nil, true},
	"error":      {[]string{"message", "type"}, nil, nil, true},
	"skipped":    {nil, nil, nil, true},
	"system-out": {nil, nil, nil, true},
}

var surefireTime = regexp.MustCompile(`^[0-9]+\.[0-9]{3}$`)

// checkJUnit reports everything in which a document breaks the rules.
func checkJUnit(document string) error {
	decoder := xml.NewDecoder(strings.NewReader(document))
	decoder.Strict = true
	var wrong []error
	var open []string
	last := []int{-1} // for each open element, which of its children was last
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			if len(open) > 0 {
				wrong = append(wrong, fmt.Errorf("%s is not closed", open))
			}
			return errors.Join(wrong...)
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if len(open) == 0 && name != "testsuites" {
				wrong = append(wrong, fmt.Errorf("the root is %s", name))
			}
			if len(open) > 0 {
				parent := open[len(open)-1]
				at := slices.Index(junitRules[parent].children, name)
				if at < last[len(last)-1] || at < 0 {
					wrong = append(wrong, fmt.Errorf("%s in %s is not allowed there", name, parent))
				}
				last[len(last)-1] = at
			}
			wrong = append(wrong, checkAttributes(token)...)
			open, last = append(open, name), append(last, -1)
		case xml.EndElement:
			open, last = open[:len(open)-1], last[:len(last)-1]
		case xml.CharData:
			if len(open) > 0 && !junitRules[open[len(open)-1]].text && strings.TrimSpace(string(token)) != "" {
				wrong = append(wrong, fmt.Errorf("%s has text: %q", open[len(open)-1], token))
			}
		}
	}
}

func checkAttributes(e xml.StartElement) (wrong []error) {
	r, known := junitRules[e.Name.Local]
	if !known {
		return []error{fmt.Errorf("there is no element %s", e.Name.Local)}
	}
	var have []string
	for _, a := range e.Attr {
		have = append(have, a.Name.Local)
		if !slices.Contains(r.required, a.Name.Local) && !slices.Contains(r.optional, a.Name.Local) {
			wrong = append(wrong, fmt.Errorf("%s has no attribute %s", e.Name.Local, a.Name.Local))
		}
		if a.Name.Local == "time" && !surefireTime.MatchString(a.Value) {
			wrong = append(wrong, fmt.Errorf("the time %q is none", a.Value))
		}
	}
	for _, name := range r.required {
		if !slices.Contains(have, name) {
			wrong = append(wrong, fmt.Errorf("%s lacks the attribute %s", e.Name.Local, name))
		}
	}
	return wrong
}

func TestJUnitKeepsTheRules(t *testing.T) {
	for _, b := range []Batch{sample(), {}, many(30)} {
		if err := checkJUnit(written(t, junitFile, b)); err != nil {
			t.Error(err)
		}
	}
	for name, document := range map[string]string{
		"order":     `<testsuites name="" time="0.000" tests="1" failures="0" errors="0"><testsuite name="" tests="" failures="" errors="" skipped="" time="0.000"><testcase name="" classname="" time="0.000"/><properties/></testsuite></testsuites>`,
		"attribute": `<testsuites name="" tests="1" failures="0" errors="0"></testsuites>`,
		"element":   `<testsuites name="" time="0.000" tests="1" failures="0" errors="0"><test/></testsuites>`,
		"end":       `<testsuites name="" time="0.000" tests="1" failures="0" errors="0">`,
	} {
		if checkJUnit(document) == nil {
			t.Errorf("%s: the rules would not see it", name)
		}
	}
}

func TestJUnitCounts(t *testing.T) {
	var got junitSuites
	if err := xml.Unmarshal([]byte(written(t, junitFile, sample())), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 13 || got.Failures != 6 || got.Errors != 3 {
		t.Errorf("%d tests, %d failures, %d errors", got.Tests, got.Failures, got.Errors)
	}
	outcome := map[string]string{}
	for _, suite := range got.Suites {
		tests, failures, errs, skipped := 0, 0, 0, 0
		milli := 0.0
		for _, c := range suite.Cases {
			tests++
			seconds, err := strconv.ParseFloat(c.Time, 64)
			if err != nil {
				t.Fatal(err)
			}
			milli += seconds
			switch {
			case c.Failure != nil:
				failures++
				outcome[c.Name] = "failure " + c.Failure.Type
			case c.Error != nil:
				errs++
				outcome[c.Name] = "error " + c.Error.Type
			case c.Skipped != nil:
				skipped++
				outcome[c.Name] = "skipped"
			default:
				outcome[c.Name] = "passed"
			}
		}
		if suite.Tests != tests || suite.Failures != failures || suite.Errors != errs || suite.Skipped != skipped {
			t.Errorf("the suite %s counts wrongly", suite.Name)
		}
		if want := fmt.Sprintf("%.2f", milli); !strings.HasPrefix(suite.Time, want[:len(want)-1]) {
			t.Errorf("the suite %s takes %s s, its cases %s", suite.Name, suite.Time, want)
		}
	}
	for name, want := range map[string]string{
		"abp.aut: Inev(GET)": "failure violated",
		"abp.aut: Inev(PUT)": "passed",
		"courier":            "passed",
		"fixed at last":      "failure unexpectedly satisfied",
		"broken again":       "failure unexpectedly violated",
		"no model":           "error error",
		"too slow":           "error timeout",
		"panics":             "error crash",
		"canceled":           "skipped",
	} {
		if outcome[name] != want {
			t.Errorf("%s: %s, want %s", name, outcome[name], want)
		}
	}
}

func TestJUnitAttachments(t *testing.T) {
	b := sample()
	b.Folder = "out/results"
	text := written(t, junitFile, b)
	if !strings.Contains(text, "\n[[ATTACHMENT|out/results/jobs/job-") {
		t.Error("attachments are not looked for in the folder of results")
	}
	if !strings.Contains(written(t, junitFile, sample()), "\n[[ATTACHMENT|jobs/job-") {
		t.Error("without a folder, attachments are not relative to the results")
	}
}

// TestJUnitIsXML: whatever a name is, the document can be read, and shows it.
func TestJUnitIsXML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name") + string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		b := Batch{Manifest: name, Version: name, Results: []batch.Result{
			samplebatch.Result(name, name, name, samplebatch.Violated(&batch.Counterexample{Kind: counterexample.Deadlock, Length: 1, Labels: []string{name}, LoopStart: -1, Sentence: name}), samplebatch.Tagged(name)),
			samplebatch.Result("error", name, name, samplebatch.Failed(batch.Failed, name)),
		}}
		var out strings.Builder
		if err := writeJUnit(b, &out); err != nil {
			t.Fatal(err)
		}
		if err := checkJUnit(out.String()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "\ufffd") && !strings.Contains(name, "\ufffd") {
			t.Fatalf("%q has a character that XML has not", name)
		}
	})
}
