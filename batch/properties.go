package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/property"
)

// givenProperty is a property as the manifest gives it, or a file that the manifest names.
type givenProperty struct {
	text  string
	where Position // in the manifest or in that file
	// name replaces the text of the property in names of jobs; "" if names have the text.
	name string
	// automaton is the file of the property, nil for a formula.
	automaton *File
	// isModal is [Job.Modal].
	isModal bool
	// refused is the error of a property that cannot be read, else "".
	refused string
	// digest covers all files of the TLA+ specification, for a graph that TLC has written.
	digest string
}

// propertiesOf returns the properties of an entry. A property that cannot be read is a mistake of its
// own jobs only.
func (r *reader) propertiesOf(e entry, job *Job) []givenProperty {
	if e.formula != nil {
		return []givenProperty{*e.formula}
	}
	names, areTexts := e.givenPropertyFields()
	if !areTexts {
		return nil
	}
	if specification, isSpecified := e.fields["tla"]; isSpecified {
		if specification.wrong || !r.checkGoesWithTLA(e, names) {
			return nil
		}
		return r.specifiedProperties(e, job)
	}
	switch {
	case len(names) == 0:
		r.add(e.where, "formula is missing; give formula, formula_file or hoa")
		return nil
	case len(names) > 1:
		r.add(e.fields[names[1]].where, "both %s and %s given; leave one of them out", names[0],
			names[1])
		return nil
	}
	f := e.fields[names[0]]
	file := propertyFile{name: f.text, path: r.pathOf(f.text), named: f.where}
	switch names[0] {
	case "formula_file":
		return r.formulasIn(file)
	case "hoa":
		return r.automatonIn(file)
	}
	return []givenProperty{r.parse(r.dir, f.where, f.text)}
}

// givenPropertyFields returns which of the propertyFields the entry has; areTexts is false if the value of
// one is no text, which has been reported.
func (e entry) givenPropertyFields() (names []string, areTexts bool) {
	for _, name := range propertyFields {
		f, isGiven := e.fields[name]
		if !isGiven {
			continue
		}
		if f.wrong {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// checkGoesWithTLA reports whether an entry that names a TLA+ specification gives its property, if any, as a
// formula. It adds a mistake if not.
func (r *reader) checkGoesWithTLA(e entry, names []string) bool {
	if len(names) == 0 || names[0] == "formula" {
		return true
	}
	r.add(e.fields[names[0]].where,
		"%s cannot be used with tla, which takes a formula, or the properties of its configuration", names[0])
	return false
}

// specifiedProperties returns the properties of an entry that names a TLA+ specification: the formula that
// the entry gives, or all properties of the configuration. It sets the specification of the job.
func (r *reader) specifiedProperties(e entry, job *Job) []givenProperty {
	specification := e.fields["tla"]
	job.TLA = &File{File: specification.text, Path: r.pathOf(specification.text)}
	where := specification.where
	formula, hasFormula := e.fields["formula"]
	if hasFormula {
		where = formula.where
	}
	loaded, err := job.load(r.ctx)
	texts := []string{formula.text}
	if err == nil && !hasFormula {
		texts, err = loaded.Properties()
	}
	if err != nil {
		mistake := Mistake{Where: specification.where, Message: fmt.Sprintf("tla: %v", err)}
		return []givenProperty{{
			text:    cmp.Or(formula.text, specification.text),
			where:   where,
			refused: r.refuse(mistake),
		}}
	}
	var properties []givenProperty
	for _, text := range texts {
		properties = append(properties, r.specifiedProperty(job, where, text))
	}
	return properties
}

// specifiedProperty reads a property of the TLA+ specification of a job.
func (r *reader) specifiedProperty(job *Job, where Position, text string) givenProperty {
	var digest string
	err := r.inTime(func(ctx context.Context) error {
		s, err := job.load(ctx)
		if err != nil {
			return err
		}
		digest = s.Digest()
		_, err = s.Instances(ctx, text)
		_, _, isOver := s.ParseOver(ctx, text, formula.Parse)
		if isOver {
			return nil
		}
		return err
	})
	if err != nil && !isPanic(err) {
		return givenProperty{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	return givenProperty{text: text, where: where, digest: digest}
}

// specificationOfMade returns the specification that the model of a job is made of, if the formula is one in
// TLA+ or is about the behaviours of the specification. It returns nil for a formula about the graph alone, and
// for a model that is not made of a specification in TLA+.
func (r *reader) specificationOfMade(job Job) *File {
	isFormula := job.Automaton == nil && !job.Modal && job.Refused == ""
	if !isFormula || !strings.EqualFold(filepath.Ext(job.Model), ".tla") {
		return nil
	}
	job.TLA = &File{File: job.Model, Path: job.Path}
	isTaken := false
	err := r.inTime(func(ctx context.Context) error {
		s, err := job.load(ctx)
		if err != nil {
			return err
		}
		job.TLA.Digest = s.Digest()
		_, err = s.Instances(ctx, job.Formula)
		if err == nil || s.Defines(job.Formula) {
			isTaken = true
			return nil
		}
		f, _, isOver := s.ParseOver(ctx, job.Formula, formula.Parse)
		isTaken = isOver && liveness.IsAboutBehaviours(f)
		return nil
	})
	if err != nil || !isTaken {
		return nil // doing the job meets the error again, if it matters to the model
	}
	return job.TLA
}

// automatonIn returns the only property of a file: the automaton in it.
func (r *reader) automatonIn(file propertyFile) []givenProperty {
	return r.propertiesIn(file, func(text []byte) []givenProperty {
		return []givenProperty{r.parseAutomaton(file, text)}
	})
}

// parseAutomaton reads the automaton in the text of a file.
func (r *reader) parseAutomaton(file propertyFile, text []byte) givenProperty {
	var automaton property.Formula
	err := r.inTime(func(ctx context.Context) (err error) {
		automaton, err = hoa.Read(ctx, bytes.NewReader(text), file.name)
		return err
	})
	p := givenProperty{text: file.name, where: file.named}
	if err != nil && !isPanic(err) {
		p.refused = r.refuse(mistakeInAutomaton(file, err))
		return p
	}
	p.automaton = &File{File: file.name, Path: file.path, Digest: sum(text)}
	if err == nil {
		p.text = automaton.String()
	}
	return p
}

// mistakeInAutomaton converts the error of an automaton to a mistake: in the file of the automaton if the
// error has a line there, and else in the manifest.
func mistakeInAutomaton(file propertyFile, err error) Mistake {
	var inFile *hoa.Error
	if !errors.As(err, &inFile) {
		return mistakeOf(file.named, "hoa", err)
	}
	return Mistake{
		Where:   Position{file.path, inFile.Line},
		Message: inFile.Message,
		Caret:   inFile.Caret(),
	}
}

// longestReading is how long a property of a manifest may be read: a short text can ask for work without
// end, and the other jobs wait meanwhile.
const longestReading = 10 * time.Second

// inTime calls read, which reads a property, with a context that ends after r.longest. It returns a panic
// in read as an error.
func (r *reader) inTime(read func(context.Context) error) error {
	ctx, stop := context.WithTimeout(r.ctx, r.longest)
	defer stop()
	err := contained.Call(func() error { return read(ctx) })
	if errors.Is(err, context.DeadlineExceeded) && r.ctx.Err() == nil {
		return fmt.Errorf("reading it takes longer than %v; simplify it", r.longest)
	}
	return err
}

// isPanic reports whether reading a property ended by a panic. The job then reads its property
// again and panics again, so that its result has the panic, and its log the stack.
func isPanic(err error) bool {
	var p *contained.Panic
	return errors.As(err, &p)
}

// parse reads a formula at a position: the whole text if its file holds one formula. It replaces the
// name of a library of macros by the text of the library.
func (r *reader) parse(folder string, where Position, text string) givenProperty {
	var f asked
	isWholeFile := formula.IsModal(where.File)
	err := r.inTime(func(ctx context.Context) (err error) {
		ctx = formula.WithLibraries(ctx, folder)
		if isWholeFile {
			f, err = readAskedFile(ctx, where.File, text)
		} else {
			f, err = readAsked(ctx, text, false)
		}
		return err
	})
	if isWholeFile {
		text = strings.Join(strings.Fields(text), " ")
	}
	if isPanic(err) {
		return givenProperty{text: text, where: where}
	}
	isNameOfFile := formula.IsModal(text) && !strings.ContainsAny(text, " \t\n()<>[]{}\"'")
	if err != nil && isNameOfFile {
		err = fmt.Errorf("%s names a file; write formula_file in place of formula", text)
	}
	if err != nil {
		return givenProperty{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	if isWholeFile || strings.Contains(text, "end_library") {
		text = f.String()
	}
	return givenProperty{text: text, where: where, isModal: f.isModal()}
}

// propertyFile is a file with properties.
type propertyFile struct {
	// name is the name of the file as the manifest has it, and path is the path by which it is
	// opened.
	name, path string
	// named is the position in the manifest that names the file.
	named Position
}

// propertiesIn returns the properties of a file, which parse finds in its text. If the file cannot
// be read, it returns one property that is refused. A file that several entries name is read once,
// so that its mistakes are reported once.
func (r *reader) propertiesIn(
	file propertyFile,
	parse func(text []byte) []givenProperty,
) []givenProperty {
	known, isKnown := r.properties[file.path]
	if isKnown {
		return known
	}
	text, mistake := r.textOf(file.named, file.path)
	if r.ctx.Err() != nil {
		return nil
	}
	var properties []givenProperty
	if mistake == nil {
		properties = parse(text)
	} else {
		properties = []givenProperty{{text: file.name, where: file.named, refused: r.refuse(*mistake)}}
	}
	r.properties[file.path] = properties
	return properties
}

// formulasIn returns the formulas of a file: one a line or, in files of MCL and the mu-calculus, a single
// one.
func (r *reader) formulasIn(file propertyFile) []givenProperty {
	folder := filepath.Dir(file.path)
	return r.propertiesIn(file, func(text []byte) []givenProperty {
		if formula.IsModal(file.path) {
			f := r.parse(folder, Position{File: file.path}, string(text))
			f.name = nameInFile(f.text, file.name)
			return []givenProperty{f}
		}
		var formulas []givenProperty
		for i, line := range bytes.Split(text, []byte("\n")) {
			content := strings.TrimSpace(string(line))
			if content == "" || content[0] == '#' {
				continue
			}
			if r.ctx.Err() != nil {
				return nil
			}
			formulas = append(formulas, r.parse(folder, Position{file.path, i + 1}, content))
		}
		if len(formulas) > 0 {
			return formulas
		}
		mistake := Mistake{
			Where:   Position{File: file.path},
			Message: "holds no formula; write one a line, such as Inev(A, B)",
		}
		return []givenProperty{{text: file.name, where: mistake.Where, refused: r.refuse(mistake)}}
	})
}
