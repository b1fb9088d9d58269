package summary

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/printable"
)

// Limits of code hosts (GitHub, "SARIF support for code scanning"): they refuse more results,
// and cut or refuse longer texts. A run of a model can have millions of steps; its page shows
// them all.
const (
	mostResults     = 25_000
	longestName     = 255
	longestMessage  = 1_000
	mostFlowSteps   = 1_000   // per result, as many as code hosts show
	mostFlowsInAll  = 100_000 // steps of all results; later results have none
	mostNotices     = 1_000
	sarifSchemaName = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// writeSARIF writes the summary in the Static Analysis Results Interchange Format,
// version 2.1.0, which hosts of code show beside the files: a violated property is a
// result of level error at the line of the model with the transition that decides,
// an expected violation is a suppressed note, and a property that is satisfied
// against expectation is a warning at the line of the manifest. There is a rule for
// each formula. Jobs without an answer are notifications of the run.
//
// A model has the path by which it was found, if that path is relative and stays below the current
// folder: it fits the working copy if inev was started at the top of the copy. Fingerprints are made of
// model, formula and options, so that a result stays the same one when its run changes. With an earlier
// run to compare with, each result reports whether it is new, updated or unchanged.
//
// There are at most 25,000 results, as many as GitHub accepts: unexpected and new ones come first,
// and a notification says how many are missing. Cost O(size of the results), which are in memory as
// a whole.
func writeSARIF(b Batch, w io.Writer) error {
	r := &sarifWriter{batch: b, rules: map[string]int{}, seen: map[string]int{}}
	all := findings(b)
	isResult, leftOut := chooseResults(all)
	for i, f := range all {
		r.notice(f)
		if isResult[i] {
			r.results = append(r.results, r.result(f))
		}
	}
	r.noticeLimits(leftOut)
	run := sarifRun{
		Tool:        sarifTool{r.driver()},
		Invocations: []sarifInvocation{{ExecutionSuccessful: r.failed == 0, Notifications: r.notices}},
		ColumnKind:  "unicodeCodePoints",
		Results:     r.results,
	}
	if run.Results == nil {
		run.Results = []sarifResult{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(sarifLog{sarifSchemaName, "2.1.0", []sarifRun{run}})
}

// result returns the result of a job.
func (r *sarifWriter) result(f finding) sarifResult {
	rule := r.rule(f)
	result := sarifResult{
		RuleID:              r.ruleSet[rule].ID,
		RuleIndex:           rule,
		Kind:                "fail",
		Level:               "error",
		Message:             message(f.message()),
		PartialFingerprints: r.fingerprints(f),
		BaselineState:       r.baselineState(f),
		Properties: sarifProperties{
			Tags:       distinctTags(f),
			Job:        printable.Text(f.Job.Name),
			Unexpected: f.Unexpected,
			New:        f.isNew(),
			Change:     string(f.change),
			Before:     printable.Text(f.before()),
			Page:       address(f.Files["page"]),
		},
	}
	if r.batch.BaseURL != "" {
		result.HostedViewerURI = r.batch.link(f.Files["page"])
	}
	switch {
	case f.onlyExceeds():
		result.Locations = []sarifLocation{manifestAt(f)}
		return result
	case f.Status == batch.Satisfied:
		result.Level = "warning"
		result.Locations = []sarifLocation{manifestAt(f)}
		return result
	case f.expectedViolation():
		result.Level = "note"
		result.Suppressions = []sarifSuppression{{
			Kind:          "external",
			Status:        "accepted",
			Justification: "The manifest expects the property to be violated.",
		}}
	}
	result.locate(f)
	result.CodeFlows = r.flow(f)
	return result
}

// locate sets the place of a violation: the transition that decides, in the model or, if it is known, the
// action of the specification.
func (result *sarifResult) locate(f finding) {
	inModel := modelAt(f, decidingLine(f))
	d := decidingOf(f)
	if d == nil || d.Source == nil {
		result.Locations = []sarifLocation{inModel}
		return
	}
	// The specification comes first: people have written it, and hosts show it. The model is only
	// made from it.
	name := d.Source.File
	if filepath.IsLocal(filepath.FromSlash(name)) {
		name = path.Clean(name)
	}
	text := message("the transition in the model")
	inModel.Message = &text
	result.Locations = []sarifLocation{place(name, d.Source.Line)}
	result.RelatedLocations = []sarifLocation{inModel}
}

// distinctTags returns the tags of a job, sorted; a manifest may name a tag twice.
func distinctTags(f finding) []string {
	var tags []string
	for _, tag := range f.Job.Tags {
		tags = append(tags, printable.Text(tag))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// noticeLimits adds notifications of what is left out: warnings, and the given number of results.
func (r *sarifWriter) noticeLimits(results int) {
	if r.leftOut > 0 {
		text := fmt.Sprintf("%d more warnings and jobs without a verdict; summary.csv lists them.", r.leftOut)
		r.notices = append(r.notices, sarifNotification{
			Level:   "note",
			Message: sarifMessage{text},
		})
	}
	if results > 0 {
		text := fmt.Sprintf("%d more results are left out, because hosts take at most %d; summary.csv lists them.", results, mostResults)
		r.notices = append(r.notices, sarifNotification{
			Level:   "warning",
			Message: sarifMessage{text},
		})
	}
}

// driver describes inev and the rules.
func (r *sarifWriter) driver() sarifDriver {
	driver := sarifDriver{Name: "inev", Rules: r.ruleSet}
	if driver.Rules == nil {
		driver.Rules = []sarifRule{}
	}
	version := strings.TrimPrefix(r.batch.Version, "v")
	if semanticVersion().MatchString(version) {
		driver.SemanticVersion = version
	} else {
		driver.Version = brief(r.batch.Version, longestName)
	}
	return driver
}

// chooseResults returns the indexes of the findings that become results, and the number of findings that
// are left out because of [mostResults]. Satisfied jobs become no results if that is as expected.
func chooseResults(all []finding) (isResult map[int]bool, leftOut int) {
	var indexes []int
	for i, f := range all {
		if f.Status == batch.Violated || f.Unexpected || f.exceeds() {
			indexes = append(indexes, i)
		}
	}
	leftOut = max(0, len(indexes)-mostResults)
	if leftOut > 0 {
		slices.SortStableFunc(indexes, func(a, b int) int {
			return cmp.Compare(all[a].group(), all[b].group())
		})
		indexes = indexes[:mostResults]
	}
	isResult = make(map[int]bool, len(indexes))
	for _, i := range indexes {
		isResult[i] = true
	}
	return isResult, leftOut
}

type sarifWriter struct {
	batch   Batch
	ruleSet []sarifRule
	rules   map[string]int // the indexes in ruleSet, by ID
	seen    map[string]int // the number of earlier results with each fingerprint
	results []sarifResult
	notices []sarifNotification
	steps   int // the number of steps in all flows so far
	failed  int
	leftOut int // the number of notifications beyond the limit
}

var semanticVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
})

// notice adds notifications for the warnings of a job, and for a missing verdict.
func (r *sarifWriter) notice(f finding) {
	for _, warning := range f.Warnings {
		r.add(sarifNotification{
			Level:     "warning",
			Message:   message(f.Job.Name + ": " + warning),
			Locations: []sarifLocation{modelAt(f, 0)},
		})
	}
	if f.Status.Answered() {
		return
	}
	r.failed++
	level := "error"
	if f.Status == batch.Canceled {
		level = "warning"
	}
	text := fmt.Sprintf("%s: %s: %s", f.Job.Name, f.Status, f.Error)
	r.add(sarifNotification{
		Level:     level,
		Message:   message(text),
		Locations: []sarifLocation{modelAt(f, 0)},
	})
}

// add adds a notification; beyond mostNotices it only counts them.
func (r *sarifWriter) add(n sarifNotification) {
	if len(r.notices) == mostNotices {
		r.leftOut++
		return
	}
	r.notices = append(r.notices, n)
}

func decidingOf(f finding) *batch.Deciding {
	if f.Counterexample == nil {
		return nil
	}
	return f.Counterexample.Deciding
}

// noText are the suffixes of files that are not text.
var noText = []string{".gz", ".zst", ".bz2", ".bcg", ".lts"}

// decidingLine returns the line of the deciding transition; 0 if the model's file is binary or
// compressed. For a text file whose line is not known it is 1, because hosts require a line.
func decidingLine(f finding) int {
	d := decidingOf(f)
	switch {
	case f.Packed || slices.Contains(noText, strings.ToLower(filepath.Ext(f.Job.Model))):
		return 0
	case d == nil:
		return 1
	}
	return max(d.Line, 1)
}

// rule returns the index of the rule for the property of a job, or for its margin (the expected bounds
// and numbers of faults) if only that is not met. It adds a rule that is new.
func (r *sarifWriter) rule(f finding) int {
	newRule := propertyRule
	if f.onlyExceeds() {
		newRule = marginRule
	}
	rule := newRule(f)
	if index, isKnown := r.rules[rule.ID]; isKnown {
		return index
	}
	r.rules[rule.ID] = len(r.ruleSet)
	r.ruleSet = append(r.ruleSet, rule)
	return r.rules[rule.ID]
}

// propertyRule returns the rule that a property is satisfied.
func propertyRule(f finding) sarifRule {
	property := f.Job.Property()
	return sarifRule{
		ID:               "inev-" + digest(property)[:12],
		Name:             brief(property, longestName),
		ShortDescription: message(property),
		FullDescription:  message(runsOf(f) + " satisfies " + f.Job.Formula + "."),
		Help:             sarifMessage{"The place is the transition that decides or, if the run decides nothing, the transition that the message is about. The page of the job shows the whole run, its decisions, and what would have been better."},
	}
}

// marginRule returns the rule that the margin of a property is as expected.
func marginRule(f finding) sarifRule {
	property := f.Job.Property()
	return sarifRule{
		ID:               "inev-exceeds-" + digest(property)[:12],
		Name:             brief("Margin of "+property, longestName),
		ShortDescription: message("The margin of " + property),
		FullDescription: message("The largest bound of " + property +
			", and the least number of faults that violate it, are as the manifest expects."),
		Help: sarifMessage{"The place is where the manifest expects it. The page of the job shows the slowest run, or one with the fewest faults."},
	}
}

// runsOf describes the runs that a job is about, at the beginning of a sentence.
func runsOf(f finding) string {
	fair := f.Job.Options.Fair
	switch len(fair) {
	case 0:
		return "Every run of the model"
	case 1:
		return "Under the assumption " + fair[0] + ", every run of the model"
	}
	return "Under the assumptions " + strings.Join(fair, "; ") + ", every run of the model"
}

// message makes a message of a text. Readers take brackets before parentheses for a link
// (SARIF, 3.11.6): a blank in between prevents that. Braces need no escape: they are
// placeholders only in messages with arguments.
func message(text string) sarifMessage {
	return sarifMessage{brief(strings.ReplaceAll(text, "](", "] ("), longestMessage)}
}

// fingerprints identify a result from run to run. GitHub uses primaryLocationLineHash only, and
// wants the number of the occurrence at its end.
func (r *sarifWriter) fingerprints(f finding) map[string]string {
	options, err := json.Marshal(f.Job.Options)
	if err != nil {
		options = nil // of plain fields: cannot happen
	}
	hash := digest(f.Job.Model, f.Job.Formula, string(options))[:16]
	r.seen[hash]++
	fingerprint := fmt.Sprintf("%s:%d", hash, r.seen[hash])
	return map[string]string{"inevJob/v1": fingerprint, "primaryLocationLineHash": fingerprint}
}

// digest returns a hash of texts. Their lengths are hashed, too, so that no other split of the
// same characters has the same hash.
func digest(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// baselineState returns how a result relates to the earlier run, in the words of SARIF; "" without an
// earlier run.
func (r *sarifWriter) baselineState(f finding) string {
	if r.batch.Differences == nil {
		return ""
	}
	switch f.change {
	case "":
		return "unchanged"
	case baseline.NewlyViolated, baseline.Added, baseline.Repaired:
		return "new"
	case baseline.NewlySatisfied:
		if f.Unexpected {
			return "new"
		}
	}
	return "updated"
}

// flow returns the steps of a run. Of a run with too many steps, it returns the first ones, and decisions
// among the later ones.
func (r *sarifWriter) flow(f finding) []sarifCodeFlow {
	c := f.Counterexample
	if c == nil || len(c.Labels) == 0 || r.steps >= mostFlowsInAll {
		return nil
	}
	decisions := map[int]batch.Decision{}
	later := 0 // the number of decisions after the step mostFlowSteps
	for _, d := range c.Decisions {
		decisions[d.Step] = d
		if d.Step > mostFlowSteps {
			later++
		}
	}
	// Later decisions take the places of up to half of these steps. Decisions among the steps that
	// they replace are kept.
	first := min(len(c.Labels), mostFlowSteps-min(later, mostFlowSteps/2))
	flow := &sarifFlow{finding: f, decisions: decisions}
	for i, label := range c.Labels[:first] {
		line := 0
		if i < len(c.Lines) {
			line = c.Lines[i]
		}
		flow.add(i+1, label, line)
	}
	for _, d := range c.Decisions {
		if d.Step > first && len(flow.steps) < mostFlowSteps {
			flow.add(d.Step, d.Label, d.Line)
		}
	}
	r.steps += len(flow.steps)
	return []sarifCodeFlow{{[]sarifThreadFlow{{flow.steps}}}}
}

// sarifFlow is a flow that is being made.
type sarifFlow struct {
	finding
	decisions map[int]batch.Decision // by the numbers of their steps
	steps     []sarifStep
}

// add adds a step of the run; line is 0 if it is not known.
func (s *sarifFlow) add(number int, label string, line int) {
	c := s.Counterexample
	text := fmt.Sprintf("step %d: %s", number, label)
	if len(s.steps) > 0 {
		previous := s.steps[len(s.steps)-1].ExecutionOrder
		leftOut := number - 1 - previous
		if leftOut > 0 {
			text += fmt.Sprintf(" (%s before are left out)", printable.Quantity(leftOut, "step"))
		}
	}
	step := sarifStep{ExecutionOrder: number, Importance: "important"}
	if number == c.LoopStart+1 {
		text += " (the loop begins)"
		step.Kinds = []string{"loop"}
	}
	if d, isDecision := s.decisions[number]; isDecision {
		text += fmt.Sprintf(" (decision in state %s)", d.State)
		step.Importance = "essential"
	}
	if number == decidingStep(c) {
		step.Importance = "essential"
	}
	if line > 0 {
		step.Location = modelAt(s.finding, line)
	}
	shown := message(text)
	step.Location.Message = &shown
	s.steps = append(s.steps, step)
}

// decidingStep returns the number of the step that decides, 0 if it is not known.
func decidingStep(c *batch.Counterexample) int {
	if c.Deciding == nil {
		return 0
	}
	return c.Deciding.Step
}

// modelAt returns a line of a model; line 0 means the whole file.
func modelAt(f finding, line int) sarifLocation {
	name := f.Job.Model
	if filepath.IsLocal(f.Job.Path) {
		name = filepath.ToSlash(filepath.Clean(f.Job.Path))
	}
	return place(name, line)
}

// manifestAt returns the position in the manifest that defines a job, or in the model if the
// manifest is outside the working copy.
func manifestAt(f finding) sarifLocation {
	if !filepath.IsLocal(f.Job.Where.File) {
		return modelAt(f, 1)
	}
	return place(filepath.ToSlash(filepath.Clean(f.Job.Where.File)), max(f.Job.Where.Line, 1))
}

// place returns a line of a file; line 0 means the whole file.
func place(name string, line int) sarifLocation {
	uri := reference(name)
	if filepath.IsAbs(name) {
		rooted := "/" + strings.TrimPrefix(printable.UTF8(name), "/")
		file := url.URL{Scheme: "file", Path: rooted}
		uri = file.String()
	}
	physical := &sarifPhysical{Artifact: sarifArtifact{uri}}
	if line > 0 {
		physical.Region = &sarifRegion{line}
	}
	return sarifLocation{Physical: physical}
}

// The objects of SARIF 2.1.0 that inev writes, with the names of the standard (OASIS, Static
// Analysis Results Interchange Format, section 3).

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name            string      `json:"name"`
	SemanticVersion string      `json:"semanticVersion,omitempty"`
	Version         string      `json:"version,omitempty"`
	Rules           []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	Name             string       `json:"name"`
	ShortDescription sarifMessage `json:"shortDescription"`
	FullDescription  sarifMessage `json:"fullDescription"`
	Help             sarifMessage `json:"help"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifResult struct {
	RuleID              string             `json:"ruleId"`
	RuleIndex           int                `json:"ruleIndex"`
	Kind                string             `json:"kind"`
	Level               string             `json:"level"`
	Message             sarifMessage       `json:"message"`
	Locations           []sarifLocation    `json:"locations"`
	RelatedLocations    []sarifLocation    `json:"relatedLocations,omitempty"`
	CodeFlows           []sarifCodeFlow    `json:"codeFlows,omitempty"`
	PartialFingerprints map[string]string  `json:"partialFingerprints"`
	BaselineState       string             `json:"baselineState,omitempty"`
	HostedViewerURI     string             `json:"hostedViewerUri,omitempty"`
	Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
	Properties          sarifProperties    `json:"properties"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Message  *sarifMessage  `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifCodeFlow struct {
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location       sarifLocation `json:"location"`
	ExecutionOrder int           `json:"executionOrder"`
	Importance     string        `json:"importance"`
	Kinds          []string      `json:"kinds,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type sarifProperties struct {
	Tags       []string `json:"tags,omitempty"`
	Job        string   `json:"job"`
	Unexpected bool     `json:"unexpected"`
	New        bool     `json:"new"`
	Change     string   `json:"change,omitempty"`
	Before     string   `json:"before,omitempty"`
	Page       string   `json:"page,omitempty"`
}
