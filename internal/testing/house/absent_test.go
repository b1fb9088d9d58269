package house

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report"
)

// doors are the functions that begin something in the packages that programs meet first, by package and name.
var doors = map[string]any{
	"actl.Agree":             actl.Agree,
	"actl.BindAssumptions":   actl.BindAssumptions,
	"actl.BindAtoms":         actl.BindAtoms,
	"actl.NewLetters":        actl.NewLetters,
	"actl.Specimens":         actl.Specimens,
	"actl.Unmatched":         actl.Unmatched,
	"actl.Parse":             actl.Parse,
	"actl.ParseAssumption":   actl.ParseAssumption,
	"aut.Compress":           aut.Compress,
	"aut.LinesOf":            aut.LinesOf,
	"aut.Open":               aut.Open,
	"aut.Read":               aut.Read,
	"aut.Write":              aut.Write,
	"batch.Digest":           batch.Digest,
	"batch.Do":               batch.Do,
	"batch.Merge":            batch.Merge,
	"batch.Open":             batch.Open,
	"batch.ReadResults":      batch.ReadResults,
	"batch.Run":              batch.Run,
	"batch.Verified":         batch.Verified,
	"compare.Models":         compare.Models,
	"compare.Property":       compare.Property,
	"ctl.Check":              ctl.Check,
	"ctl.Parse":              ctl.Parse,
	"diagram.DOT":            diagram.DOT,
	"diagram.PNG":            diagram.PNG,
	"diagram.SVG":            diagram.SVG,
	"explain.Analyse":        explain.Analyse,
	"explain.Check":          explain.Check,
	"explain.Describe":       explain.Describe,
	"explain.Explain":        explain.Explain,
	"explain.FindRepair":     explain.FindRepair,
	"explain.ListLabels":     explain.ListLabels,
	"explain.Matched":        explain.Matched,
	"explain.Why":            explain.Why,
	"format.Open":            format.Open,
	"format.Read":            format.Read,
	"format.WriteAUTX":       format.WriteAUTX,
	"format.WriteCompressed": format.WriteCompressed,
	"format.WriteMCRL2":      format.WriteMCRL2,
	"formula.Parse":          formula.Parse,
	"formula.ParseFile":      formula.ParseFile,
	"report.New":             report.New,
}

// TestAbsentArguments: each door refuses an argument that is missing, nil or the zero value of its type, with an error that
// fits in a line, and never panics.
func TestAbsentArguments(t *testing.T) {
	all := maps.Clone(doors)
	writer, err := report.New("text", report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for method, value := range reflect.ValueOf(writer).Methods() {
		all["report.Writer."+method.Name] = value.Interface()
	}
	for method, value := range reflect.ValueOf(report.Writer{}).Methods() {
		if err := callContained(value, validArguments(t, value.Type())); err == nil || strings.Contains(err.Error(), "panic") {
			t.Errorf("%s of a report.Writer without a format: %v", method.Name, err)
		}
	}
	for name, door := range all {
		call := reflect.ValueOf(door)
		valid := validArguments(t, call.Type())
		for i := range valid {
			if !mayBeAbsent(valid[i].Type()) {
				continue
			}
			arguments := append([]reflect.Value{}, valid...)
			arguments[i] = reflect.Zero(valid[i].Type())
			what := fmt.Sprintf("%s with a nil %v", name, valid[i].Type())
			err := callContained(call, arguments)
			if err == nil && !meansNothing[what] {
				t.Errorf("%s returns no error", what)
			}
			if err != nil && (strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s: %v", what, err)
			}
		}
		var zeros []reflect.Value
		for _, v := range valid {
			zeros = append(zeros, reflect.Zero(v.Type()))
		}
		if err := callContained(call, zeros); err != nil && strings.Contains(err.Error(), "panic") {
			t.Errorf("%s with zero values: %v", name, err)
		}
	}
	for _, folder := range []string{"actl", "aut", "batch", "compare", "ctl", "diagram", "explain", "format", "formula", "report"} {
		for _, name := range doorsOf(t, folder) {
			if all[name] == nil {
				t.Errorf("%s is a door that the test does not call", name)
			}
		}
	}
}

// meansNothing are the arguments that may be missing, by their documentation.
var meansNothing = map[string]bool{
	"format.WriteMCRL2 with a nil *lts.Values": true,
}

// mayBeAbsent reports whether a program can forget an argument of this type.
func mayBeAbsent(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface
}

// callContained calls a function and returns its error, or its panic as an error.
func callContained(call reflect.Value, arguments []reflect.Value) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	results := call.Call(arguments)
	last := results[len(results)-1]
	if e, is := last.Interface().(error); is {
		return e
	}
	if r, is := last.Interface().(batch.Result); is && r.Error != "" {
		return fmt.Errorf("%s: %s", r.Status, r.Error)
	}
	return nil
}

// validArguments returns arguments that a function of this type accepts; those that it may do without are zero values.
func validArguments(t *testing.T, f reflect.Type) []reflect.Value {
	t.Helper()
	ctx := t.Context()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 2, 3)\n(0, \"REQ\", 1)\n(1, \"ACK\", 2)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := formula.Parse(ctx, "Inev(ACK, REQ)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, p, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	states, err := ctl.Parse(ctx, `EF "ACK"`)
	if err != nil {
		t.Fatal(err)
	}
	given := map[reflect.Type]any{
		reflect.TypeFor[*lts.LTS]():             m,
		reflect.TypeFor[*explain.Explanation](): e,
		reflect.TypeFor[*ctl.Formula]():         states,
		reflect.TypeFor[context.Context]():      ctx,
		reflect.TypeFor[property.Formula]():     p,
		reflect.TypeFor[io.Writer]():            &bytes.Buffer{},
		reflect.TypeFor[io.Reader]():            strings.NewReader("des (0, 0, 1)\n"),
		reflect.TypeFor[*explain.Options]():     &explain.Options{},
		reflect.TypeFor[*batch.Manifest]():      &batch.Manifest{},
		reflect.TypeFor[compare.Version]():      compare.Version{LTS: m},
		reflect.TypeFor[*lts.Alphabet]():        m.Alphabet(),
	}
	var arguments []reflect.Value
	for i := range f.NumIn() {
		in := f.In(i)
		v := reflect.New(in).Elem()
		if value, has := given[in]; has {
			v.Set(reflect.ValueOf(value))
		}
		arguments = append(arguments, v)
	}
	return arguments
}

// doorsOf lists the exported functions of the package in a folder that take a context, a model, a formula, an explanation,
// a reader or a writer, and may fail.
func doorsOf(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
	}
	var names []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Recv != nil || !f.Name.IsExported() || !mayFail(f) {
				continue
			}
			names = append(names, folder+"."+f.Name.Name)
		}
	}
	return names
}

// mayFail reports whether the last result of a function is an error.
func mayFail(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	all := f.Type.Results.List
	last, is := all[len(all)-1].Type.(*ast.Ident)
	return is && last.Name == "error"
}
