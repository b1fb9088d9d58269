package summary

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// The elements of JUnit XML, as Jenkins' xunit plugin (junit-10.xsd), JUnit 5 (jenkins-junit.xsd) and
// Maven Surefire (surefire-test-report.xsd) describe them. The order of the elements is that of
// Surefire, which prescribes one and begins with a test suite. JUnit 5 allows no attribute of skipped.

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase     `xml:"testcase"`

	milli float64
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string         `xml:"name,attr"`
	Class   string         `xml:"classname,attr"`
	Time    string         `xml:"time,attr"`
	Failure *junitProblem  `xml:"failure"`
	Skipped *junitLongText `xml:"skipped"`
	Error   *junitProblem  `xml:"error"`
	Out     *junitLongText `xml:"system-out"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",innerxml"`
}

type junitLongText struct {
	Text string `xml:",innerxml"`
}

// writeJUnit writes the summary as JUnit XML, which CI servers show as tests: a test suite for each
// model, with a test case for each job. A test case fails if the verdict of its job is not the
// expected one. It is an error if the job has no answer, and skipped if the job was stopped.
//
// Its system-out describes the result and lists the files of the job as lines
// [[ATTACHMENT|path]], which several servers recognise. Texts are made printable, so that they
// hold no character that XML 1.0 forbids. Cost O(size of the results).
func writeJUnit(b Batch, w io.Writer) error {
	suites := junitSuitesOf(b)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", " ")
	if err := encoder.Encode(suites); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitSuitesOf returns a suite for each model, in the order of their first jobs.
func junitSuitesOf(b Batch) junitSuites {
	suites := junitSuites{Name: "inev " + printable.Text(b.Manifest)}
	index := map[string]int{} // the suite of each model
	for _, f := range findings(b) {
		i, isKnown := index[f.Job.Model]
		if !isKnown {
			i = len(suites.Suites)
			index[f.Job.Model] = i
			suites.Suites = append(suites.Suites, newSuite(b, f))
		}
		suites.Suites[i].add(b, f)
	}
	for i := range suites.Suites {
		s := &suites.Suites[i]
		s.Time = junitTime(s.milli)
		suites.Tests += s.Tests
		suites.Failures += s.Failures
		suites.Errors += s.Errors
	}
	suites.Time = junitTime(totalMilli(b))
	return suites
}

// newSuite returns the suite of a model, without cases; first is its first job.
func newSuite(b Batch, first finding) junitSuite {
	s := junitSuite{Name: printable.Text(first.Job.Model)}
	property := func(name, value string) {
		s.Properties = append(s.Properties, junitProperty{name, printable.Text(value)})
	}
	property("manifest", b.Manifest)
	if b.Version != "" {
		property("inev", b.Version)
	}
	if first.Model != nil {
		property("states", fmt.Sprint(first.Model.States))
		property("transitions", fmt.Sprint(first.Model.Transitions))
		property("labels", fmt.Sprint(first.Model.Labels))
	}
	return s
}

// add adds the case of a job, and counts it.
func (s *junitSuite) add(b Batch, f finding) {
	s.Tests++
	s.milli += f.Milli
	s.noteStart(f.Started)
	c := junitCase{
		Name:  printable.Text(f.Job.Name),
		Class: printable.Text(f.Job.Model),
		Time:  junitTime(f.Milli),
	}
	const longestProblem = 1000
	description := xmlLines("\n" + describe(f))
	switch {
	case f.Status == batch.Canceled:
		c.Skipped = &junitLongText{Text: "not run to its end"}
		s.Skipped++
	case !f.Status.Answered():
		c.Error = &junitProblem{
			Message: brief(f.Error, longestProblem),
			Type:    string(f.Status),
			Text:    description,
		}
		s.Errors++
	case f.Unexpected || f.exceeds():
		c.Failure = &junitProblem{
			Message: brief(f.message(), longestProblem),
			Type:    f.failureType(),
			Text:    description,
		}
		s.Failures++
	}
	hasDescription := c.Failure != nil || c.Error != nil
	c.Out = &junitLongText{xmlLines(systemOut(b, f, !hasDescription))}
	s.Cases = append(s.Cases, c)
}

// systemOut returns the tags and the attachments of a job, after its description if that is wanted.
func systemOut(b Batch, f finding, isDescribed bool) string {
	text := "\n"
	if isDescribed {
		text += describe(f)
	}
	if len(f.Job.Tags) > 0 {
		text += "tags: " + printable.Text(strings.Join(f.Job.Tags, " ")) + "\n"
	}
	for _, file := range filesOf(f.Result) {
		text += fmt.Sprintf("[[ATTACHMENT|%s]]\n",
			printable.Text(path.Join(b.Folder, file.path)))
	}
	return text
}

// noteStart sets the time stamp of the suite to the start of a job if that is earlier.
func (s *junitSuite) noteStart(started string) {
	start, err := time.Parse(time.RFC3339, started)
	if err != nil {
		return
	}
	// The schemas allow no time zone. Texts of this form sort by time.
	stamp := start.UTC().Format("2006-01-02T15:04:05")
	if s.Timestamp == "" || stamp < s.Timestamp {
		s.Timestamp = stamp
	}
}

// failureType names how a job differs from what is expected.
func (f finding) failureType() string {
	switch {
	case !f.Unexpected:
		return "exceeds"
	case f.Job.Expect != "":
		return "unexpectedly " + string(f.Status)
	}
	return "violated"
}

// message says in one line why a property fails, or how a job ended.
func (f finding) message() string {
	text := fmt.Sprintf("%s is %s in %s", f.Job.Property(), f.Status, f.Job.Model)
	if f.Unexpected && f.Job.Expect != "" {
		text += ", though expected to be " + f.Job.Expect
	}
	if f.onlyExceeds() {
		return strings.Join(f.Exceeds, "; ") + ": " + text
	}
	c := f.Counterexample
	switch {
	case c == nil && f.Argument != "":
		return f.Argument + " " + text + "."
	case c == nil:
		return text
	case c.Sentence == "":
		return text + ". " + f.shape() + "."
	case strings.HasPrefix(c.Sentence, lengthClause(c)):
		// Nothing more is known, so describe the shape of the run.
		return text + ". " + c.Sentence
	}
	return f.why() + " " + text + ". " + f.shape() + "."
}

// longestRun limits the steps of a run that are written.
const longestRun = 100

// describe returns several lines about a job.
func describe(f finding) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, printable.Text(value))
		}
	}
	line("property", f.Job.Property())
	line("model", f.Job.Model)
	line("verdict", f.answer())
	if c := f.Counterexample; c != nil {
		line("why", c.Sentence)
		line("who could prevent it", c.Prevention)
	}
	line("why", f.Argument)
	line("expected", f.Job.Expect)
	line("bound", f.bound())
	line("faults", f.faults())
	line("exceeds", strings.Join(f.Exceeds, "; "))
	if f.change != "" {
		line("since the earlier run", changeInWords(f.change))
	}
	line("bound and faults since then", f.marginChanges())
	line("before", f.before())
	line("error", f.Error)
	for _, warning := range f.Warnings {
		line("warning", warning)
	}
	if c := f.Counterexample; c != nil {
		line("counterexample", f.shape())
		line(f.placeName(), f.deciding())
		writeRun(&b, c)
	}
	return b.String()
}

// writeRun writes the first steps of a counterexample, one a line.
func writeRun(b *strings.Builder, c *batch.Counterexample) {
	for i, label := range c.Labels {
		if i == longestRun {
			fmt.Fprintf(b, "      … %d more\n", len(c.Labels)-i)
			return
		}
		mark := "  "
		if i == c.LoopStart {
			mark = "↻ "
		}
		fmt.Fprintf(b, "%5d %s%s\n", i+1, mark, printable.Text(label))
	}
}

// xmlLines escapes a text for the content of an element. Line feeds stay, which xml.EscapeText
// would replace by character references.
func xmlLines(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		_ = xml.EscapeText(&b, []byte(line)) // a strings.Builder takes everything
	}
	return b.String()
}

// junitTime writes a time in seconds with at most three decimals, as Surefire requires.
func junitTime(milli float64) string { return fmt.Sprintf("%.3f", milli/1000) }
