package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
)

// svl reads a script of CADP's SVL: each verification by evaluator is a job, with the verdict that
// is expected. Models are existing files, or files that the script generates from existing ones.
// Other operations that make models are refused by name.
type svl struct {
	*reader
	svlScanner
	// made are the statements of the script that make files.
	made map[string]svlGeneration
	// named counts the jobs of each name, since a property may have several verifications, and several
	// properties may have one name.
	named map[string]int
}

// svlGeneration says how a script makes a file.
type svlGeneration struct {
	// from is the file whose model the statement makes, and root is the process in that file, "" for
	// the whole. If the file is made in another way, from is "", and how has the words of the
	// statement.
	from, root string
	how        string
}

// svlVerification is a verification that a statement of SVL asks for.
type svlVerification struct {
	where   Position
	model   string
	file    string // with the formula, or
	formula string // the formula itself
	// refused says why inev cannot do this verification, and what to write instead; "" if inev can
	// do it.
	refused string
}

// readSVL makes jobs of the verifications of a script.
func (r *reader) readSVL(text []byte) {
	s := &svl{
		reader:     r,
		svlScanner: svlScanner{text: string(text)},
		made:       map[string]svlGeneration{},
		named:      map[string]int{},
	}
	for {
		where := s.here()
		word := s.peek()
		switch {
		case word == "":
			return
		case strings.EqualFold(word, "property"):
			s.next()
			if !s.readProperty(where) {
				return
			}
		default:
			statement, ended := s.statement()
			if !ended {
				s.add(where, "expected ; at the end of the statement %s",
					printable.Cut(oneLine(statement), 40))
				return
			}
			s.addStatement(where, statement)
		}
		if s.ctx.Err() != nil {
			return
		}
	}
}

// addStatement reads a statement outside of properties. It keeps a statement that makes a file, and makes a
// job of a statement that verifies.
func (s *svl) addStatement(where Position, statement string) {
	file, how := cutAssignment(statement)
	v, verifies := readVerification(where, statement)
	switch {
	case verifies:
		s.addJob(v, "", "")
	case file != "":
		s.made[file] = readGeneration(how)
	case strings.HasPrefix(statement, `"`) || startsWithAny(statement, svlAnalyses):
		s.refuseJob(refusedStatement(where, statement), "")
	}
}

// readProperty reads a property after its first word: a name, comments, and statements with their
// expected values. It reports whether the property has an end.
func (s *svl) readProperty(where Position) bool {
	name := s.next()
	head, ok := s.readPropertyHead()
	if !ok {
		s.add(where, "property %s has no end; write end property", name)
		return false
	}
	hasParameters := strings.HasPrefix(head, "(")
	if hasParameters {
		s.refuseJob(svlVerification{
			where:   where,
			formula: "property " + name,
			refused: "property " + name + " has parameters, which inev does not replace; write a property for each of their values",
		}, name)
	}
	var pending []svlVerification
	for {
		at := s.here()
		word := s.peek()
		switch {
		case word == "":
			s.add(where, "property %s has no end; write end property", name)
			return false
		case strings.EqualFold(word, "end"):
			s.next()
			s.next() // property
			if s.peek() == ";" {
				s.next()
			}
			s.addJobs(pending, name, "")
			return true
		case word == ";":
			s.next()
		case strings.EqualFold(word, "expected"):
			s.next()
			s.addJobs(pending, name, strings.Trim(s.next(), `"`))
			pending = nil
		default:
			statement, _ := s.statement()
			if !hasParameters {
				pending = append(pending, verificationOf(at, statement))
			}
		}
	}
}

// readPropertyHead reads a property between its name and the word "is"; false if that word is missing.
func (s *svlScanner) readPropertyHead() (head string, ok bool) {
	for {
		word := s.next()
		if word == "" {
			return "", false
		}
		if strings.EqualFold(word, "is") {
			return head, true
		}
		head += word
	}
}

// verificationOf returns the verification that a statement asks for; a refused one for any other
// statement.
func verificationOf(where Position, statement string) svlVerification {
	v, verifies := readVerification(where, statement)
	if verifies {
		return v
	}
	return refusedStatement(where, statement)
}

// refusedStatement returns a refused verification for a statement that evaluator does not carry
// out.
func refusedStatement(where Position, statement string) svlVerification {
	return svlVerification{
		where:   where,
		formula: statement,
		refused: notByEvaluator(statement),
	}
}

// addJobs makes jobs of verifications, all with the same expected value: TRUE, FALSE, or "" for none.
func (s *svl) addJobs(all []svlVerification, name, expected string) {
	for _, v := range all {
		s.addJob(v, name, expected)
	}
}

// svlAnalyses are the words with which statements begin that analyse a model in other ways than by
// evaluator.
var svlAnalyses = []string{
	"deadlock",
	"livelock",
	"strong",
	"branching",
	"divbranching",
	"observational",
	"safety",
	"tau*.a",
	"trace",
	"weak",
	"check",
}

// notByEvaluator returns why a statement that is no verification by evaluator is refused, and what
// to use instead.
func notByEvaluator(statement string) string {
	_, how := cutAssignment(statement)
	first, _, _ := strings.Cut(strings.TrimSpace(how), " ")
	use := "inev check and inev ctl answer what a formula asks"
	switch {
	case strings.EqualFold(first, "deadlock"):
		use = "inev check MODEL DeadlockFree answers it"
	case strings.EqualFold(first, "livelock"):
		use = "inev info MODEL counts divergent states"
	case strings.EqualFold(first, "check"):
		use = "write the property for each of its arguments"
	case strings.Contains(how, "==") || strings.Contains(how, "<=") ||
		strings.Contains(how, "comparison"):
		use = "inev compare OLD NEW answers it"
	}
	return fmt.Sprintf("%s is no verification by evaluator; %s",
		printable.Cut(oneLine(how), 40), use)
}

// readVerification reads a statement that evaluator carries out, in one of the two forms
//
//	["diagnostic" =] "model" |= [with tool] formula
//	["diagnostic" =] verify "file" [with tool] in "model"
//
// verifies is false for any other statement.
func readVerification(where Position, statement string) (v svlVerification, verifies bool) {
	_, action := cutAssignment(statement)
	words := &svlScanner{text: action}
	if strings.EqualFold(words.next(), "verify") {
		return readVerify(where, words), true
	}
	model, asked, hasSign := cutOutside(action, "|=")
	if !hasSign {
		return svlVerification{}, false
	}
	return readSatisfies(where, model, asked), true
}

// readVerify reads the words of a verification after the word verify.
func readVerify(where Position, words *svlScanner) svlVerification {
	v := svlVerification{where: where, file: fileInQuotes(words.next())}
	words.skipTool()
	words.next() // in
	v.model = fileInQuotes(words.next())
	if v.file == "" || v.model == "" {
		v.refused = "the formula and the model of verify are names of files in quotes: verify \"FILE.mcl\" in \"MODEL.bcg\""
	}
	return v
}

// readSatisfies reads a verification from its texts before and after the sign |=.
func readSatisfies(where Position, model, asked string) svlVerification {
	v := svlVerification{where: where, model: fileInQuotes(strings.TrimSpace(model))}
	if v.model == "" {
		v.refused = "the model is no file; name the file that svl makes of it"
	}
	words := &svlScanner{text: asked}
	words.skipTool()
	words.skipBlanks()
	v.formula = strings.TrimSpace(asked[words.pos:])
	file := fileInQuotes(v.formula)
	if strings.HasSuffix(file, ".mcl") {
		v.file = file
	}
	return v
}

// skipTool skips "with evaluator4" and the like, if such words come next.
func (s *svlScanner) skipTool() {
	if strings.EqualFold(s.peek(), "with") {
		s.next()
		s.next()
	}
}

// addJob makes a job of a verification. For some formulas the job asks about fully fair runs, since
// the answer is the same.
func (s *svl) addJob(v svlVerification, name, expected string) {
	verdicts := map[string]Status{
		"":      Satisfied,
		"TRUE":  Satisfied,
		"FALSE": Violated,
	}
	verdict, isVerdict := verdicts[strings.ToUpper(expected)]
	if !isVerdict {
		s.add(v.where, "expected %s is neither TRUE nor FALSE", printable.Echo(strings.Join(strings.Fields(expected), " ")))
		return
	}
	root := s.made[v.model].root // v.model is a name of the script here; s.model returns the name of the model's file
	if v.refused == "" {
		v.model, v.refused = s.model(v.model)
	}
	if v.refused != "" {
		s.refuseJob(v, name)
		return
	}
	f, fair, mistake := s.formulaOf(v)
	if mistake != nil {
		v.where = mistake.Where
		v.refused = mistake.Message
		s.refuseJob(v, name)
		return
	}
	e := entry{where: v.where, fields: map[string]field{
		"model": {where: v.where, text: v.model},
		// Evaluator takes labels that the model lacks.
		string(options.AllowUnmatched): {where: v.where, text: "true"},
	}}
	text := f.String()
	e.formula = &givenProperty{
		text:    text,
		where:   v.where,
		name:    nameInFile(text, v.file),
		isModal: f.isModal(),
	}
	set := func(name, text string) {
		if text != "" {
			e.fields[name] = field{where: v.where, text: text}
		}
	}
	set("name", s.uniqueName(name))
	if expected != "" {
		set("expect", string(verdict))
	}
	set("fair", fair)
	if root != "" {
		e.fields[string(options.FrontEndOption)] = field{
			where: v.where,
			list:  []string{"-root", root},
		}
	}
	s.addJobsOf(e)
}

// formulaOf reads the formula of a verification. If fair is "full", the formula means that all fully fair
// runs have the property that is returned.
func (s *svl) formulaOf(v svlVerification) (f asked, fair string, mistake *Mistake) {
	text := v.formula
	where := v.where
	folder := s.dir
	if v.file != "" {
		path := s.pathOf(v.file)
		content, unread := s.textOf(v.where, path)
		if unread != nil {
			return asked{}, "", unread
		}
		text = string(content)
		where = Position{File: path}
		folder = filepath.Dir(path)
	}
	err := s.inTime(func(ctx context.Context) error {
		ctx = formula.WithLibraries(ctx, folder)
		ofRuns, err := modal.Parse(ctx, s.libraries+text)
		if err == nil {
			f.ofRuns = ofRuns
			return nil
		}
		var other *modal.OtherwiseError
		if errors.As(err, &other) && other.WhenFullyFair() != nil {
			f.ofRuns = other.WhenFullyFair()
			fair = actl.FullFairness.String()
			return nil
		}
		f, err = readOfStates(ctx, s.libraries+text, true, err)
		return err
	})
	if err != nil {
		m := mistakeOf(where, "formula", err)
		return asked{}, "", &m
	}
	return f, fair, nil
}

// model returns the model that a verification names. If the script generates the named file, the
// model is the file from which it is generated. Otherwise the model is an existing file of this
// name, or of the same name with .aut. If the script makes the file in another way, refused says
// how. A missing file that the script does not make is returned as it is named.
func (s *svl) model(name string) (model, refused string) {
	exists := func(name string) bool { return isRegular(s.pathOf(name)) }
	made, isMade := s.made[name]
	if isMade && made.from != "" {
		return made.from, ""
	}
	if exists(name) {
		return name, ""
	}
	aut := strings.TrimSuffix(name, filepath.Ext(name)) + ".aut"
	if exists(aut) {
		return aut, ""
	}
	if isMade {
		return name, fmt.Sprintf("%s is made by %s, which inev does not do; run svl first, which writes it", name, made.how)
	}
	return name, ""
}

// refuseJob adds a job for a refused verification, so that the summaries list it as a job without a verdict.
// The name is "" outside of properties.
func (s *svl) refuseJob(v svlVerification, name string) {
	name = s.uniqueName(name)
	d := draft{hasOwnName: name != ""}
	d.Where = v.where
	d.Model = v.model
	d.Path = s.pathOf(v.model)
	d.Formula = shownFormula(v.formula)
	d.Refused = s.refuse(Mistake{Where: v.where, Message: v.refused})
	d.Name = name
	switch {
	case name != "":
	case v.formula != "":
		d.Name = shownFormula(v.formula)
	default:
		d.Name = fmt.Sprintf("verification in line %d", v.where.Line)
	}
	s.drafts = append(s.drafts, d)
}

// uniqueName returns the name with a number after it if it is taken, and "" for "".
func (s *svl) uniqueName(name string) string {
	if name == "" {
		return ""
	}
	s.named[name]++
	n := s.named[name]
	if n > 1 {
		return s.uniqueName(fmt.Sprintf("%s (%d)", name, n))
	}
	return name
}

// cutAssignment splits a statement "FILE" = HOW; the file is "" if it makes none.
func cutAssignment(statement string) (file, how string) {
	words := &svlScanner{text: statement}
	file = fileInQuotes(words.next())
	if file == "" || words.next() != "=" {
		return "", statement
	}
	words.skipBlanks()
	return file, statement[words.pos:]
}

// readGeneration reads how a script makes a file: generation of "FILE", perhaps with a root, or in some
// other way.
func readGeneration(how string) svlGeneration {
	words := &svlScanner{text: how}
	other := svlGeneration{how: printable.Cut(oneLine(how), 40)}
	if !strings.EqualFold(words.next(), "generation") ||
		!strings.EqualFold(words.next(), "of") {
		return other
	}
	from := fileInQuotes(words.next())
	root := ""
	if words.peek() == ":" {
		words.next()
		root = strings.Trim(words.next(), `"`)
	}
	if from == "" || words.peek() != "" {
		return other
	}
	return svlGeneration{from: from, root: root}
}

// fileInQuotes returns the text in quotes, "" if the word is not in quotes, or has variables of the shell.
func fileInQuotes(word string) string {
	isInQuotes := len(word) >= 2 && strings.HasPrefix(word, `"`) && strings.HasSuffix(word, `"`)
	if !isInQuotes {
		return ""
	}
	inside := word[1 : len(word)-1]
	if strings.ContainsAny(inside, "\"$`\n") {
		return ""
	}
	return inside
}

// here returns the position of the next word.
func (s *svl) here() Position { return Position{File: s.file, Line: s.line()} }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func startsWithAny(text string, words []string) bool {
	first := (&svlScanner{text: text}).next()
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.EqualFold(first, w)
	})
}
