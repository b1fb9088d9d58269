package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/inevtest"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/report"
	"github.com/inev-lts/inev/simplify"
)

// zeroValues has a zero value of each exported type with exported methods that users can import.
var zeroValues = []any{
	new(actl.Assumption),
	new(actl.AssumptionKind),
	new(actl.Bound),
	new(actl.FactsError),
	new(actl.Formula),
	new(actl.FullyFair),
	new(actl.Letters),
	new(actl.Pattern),
	new(actl.SyntaxError),
	new(actl.Text),
	new(actl.UnmatchedError),
	new(batch.Bound),
	new(batch.Counterexample),
	new(batch.DigestError),
	new(batch.Faults),
	new(batch.Gate),
	new(batch.Job),
	new(batch.Manifest),
	new(batch.ManifestError),
	new(batch.Mistake),
	new(batch.Options),
	new(batch.Outcome),
	new(batch.Plan),
	new(batch.Position),
	new(batch.Progress),
	new(batch.Result),
	new(batch.Shard),
	new(batch.Status),
	new(batch.Work),
	new(compare.Arc),
	new(compare.Behaviour),
	new(compare.Cause),
	new(compare.Change),
	new(compare.Comparison),
	new(compare.Divergence),
	new(compare.Edit),
	new(compare.Parting),
	new(compare.Side),
	new(compare.Size),
	new(compare.Versions),
	new(counterexample.Family),
	new(counterexample.Given),
	new(counterexample.Joined),
	new(counterexample.Kind),
	new(counterexample.MatchNote),
	new(counterexample.Minimality),
	new(counterexample.Result),
	new(counterexample.Trace),
	new(ctl.Answer),
	new(ctl.Formula),
	new(enrich.Enriched),
	new(enrich.Options),
	new(enrich.Queue),
	new(explain.Abstracted),
	new(explain.Advice),
	new(explain.Analysis),
	new(explain.Asked),
	new(explain.Assumption),
	new(explain.AssumptionKind),
	new(explain.Bound),
	new(explain.Causes),
	new(explain.Choice),
	new(explain.Classes),
	new(explain.Counterexample),
	new(explain.CutStep),
	new(explain.Deciding),
	new(explain.DecidingReason),
	new(explain.Decision),
	new(explain.Destination),
	new(explain.Diagnosis),
	new(explain.DiagnosisKind),
	new(explain.Diff),
	new(explain.DiffStep),
	new(explain.Explanation),
	new(explain.Fairness),
	new(explain.Forbidden),
	new(explain.Keeps),
	new(explain.LabelUse),
	new(explain.Labels),
	new(explain.LoopStart),
	new(explain.Loss),
	new(explain.MissedPlace),
	new(explain.Model),
	new(explain.ModelStep),
	new(explain.Necessity),
	new(explain.Neighbourhoods),
	new(explain.NoPlaceError),
	new(explain.Options),
	new(explain.PathStep),
	new(explain.Pending),
	new(explain.Phase),
	new(explain.Phases),
	new(explain.PointOfNoReturn),
	new(explain.Position),
	new(explain.Prevention),
	new(explain.Progress),
	new(explain.Property),
	new(explain.Reasons),
	new(explain.Repair),
	new(explain.Repaired),
	new(explain.Share),
	new(explain.Slowest),
	new(explain.Statistics),
	new(explain.Step),
	new(explain.StepIndex),
	new(explain.StoppedError),
	new(explain.Verdict),
	new(explain.WhyNot),
	new(explain.WhyRun),
	new(explain.Words),
	new(fate.Class),
	new(fate.Fate),
	new(fate.Map),
	new(format.Format),
	new(format.Model),
	new(inevtest.Model),
	new(lts.Alphabet),
	new(lts.AlphabetBuilder),
	new(lts.Builder),
	new(lts.Graph),
	new(lts.LTS),
	new(lts.LabelColumn),
	new(lts.Labels),
	new(lts.Predecessors),
	new(lts.Reach),
	new(lts.State),
	new(lts.Values),
	new(lts.ValuesBuilder),
	new(neighbourhood.Classification),
	new(neighbourhood.Counts),
	new(neighbourhood.Kind),
	new(neighbourhood.Reading),
	new(product.Levels),
	new(product.Residuals),
	new(product.State),
	new(product.Unfolding),
	new(property.Acceptance),
	new(property.Automaton),
	new(property.Chain),
	new(property.Fairness),
	new(property.Justness),
	new(property.Kind),
	new(property.Marks),
	new(property.NotChainError),
	new(property.Phrase),
	new(property.Property),
	new(property.ScopeKind),
	new(property.Step),
	new(report.Writer),
	new(scc.Components),
	new(scc.Engine),
	new(scc.Parts),
	new(simplify.Abstraction),
	new(simplify.Fate),
}

// neverPanics matches the methods that a program calls without knowing how a value came about: what prints it, what writes it as
// data, and what counts its members.
var neverPanics = regexp.MustCompile(`^(String|GoString|Error|Unwrap|MarshalJSON|MarshalText|Len|Num[A-Z]\w*)$`)

// namesOrigin matches the comment of a type that says where its values come from.
var namesOrigin = regexp.MustCompile(`\bcomes?\s+from\b|\breturned\s+by\b`)

// TestZeroValues: printing, writing or counting a zero value or a nil pointer does not panic. Another method without arguments may,
// if the comment of its type says where values come from.
func TestZeroValues(t *testing.T) {
	comments := typesWithMethods(t)
	for _, zero := range zeroValues {
		of := reflect.TypeOf(zero)
		name := of.Elem().String()
		comment, isThere := comments[name]
		if !isThere {
			t.Errorf("%s has no exported methods: take it out of zeroValues", name)
		}
		delete(comments, name)
		if text := fmt.Sprintf("%v %+v", zero, reflect.ValueOf(zero).Elem()); strings.Contains(text, "PANIC=") {
			t.Errorf("a zero %s prints as %s", name, text)
		}
		for method := range of.Methods() {
			if method.Type.NumIn() > 1 {
				continue
			}
			_, isOfValue := of.Elem().MethodByName(method.Name)
			wrong := panicOf(method, reflect.ValueOf(zero))
			if wrong == nil && !isOfValue && neverPanics.MatchString(method.Name) {
				wrong = panicOf(method, reflect.Zero(of))
			}
			switch {
			case wrong == nil:
			case neverPanics.MatchString(method.Name):
				t.Errorf("%s.%s panics without a value: %v", name, method.Name, wrong)
			case !namesOrigin.MatchString(comment):
				t.Errorf("%s.%s panics on a zero value (%v): write in the comment of the type where values come from", name, method.Name, wrong)
			}
		}
	}
	for name := range comments {
		t.Errorf("%s has exported methods: add new(%[1]s) to zeroValues", name)
	}
}

// panicOf calls a method without arguments, and returns what it panics with.
func panicOf(method reflect.Method, receiver reflect.Value) (found any) {
	defer func() { found = recover() }()
	method.Func.Call([]reflect.Value{receiver})
	return nil
}

// typesWithMethods returns the comments of the exported types with exported methods in packages that users can import, by
// PACKAGE.TYPE.
func typesWithMethods(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, row := range rows(t) {
		if !row.Public() {
			continue
		}
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(row.Name), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
		declared := map[string]string{}
		var receivers []string
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				addTypes(d, declared)
				if receiver := receiverOf(d); receiver != "" {
					receivers = append(receivers, receiver)
				}
			}
		}
		for _, receiver := range receivers {
			comments[filepath.Base(row.Name)+"."+receiver] = declared[receiver]
		}
	}
	return comments
}

// addTypes adds the comments of the types that a declaration declares.
func addTypes(d ast.Decl, to map[string]string) {
	types, areTypes := d.(*ast.GenDecl)
	if !areTypes {
		return
	}
	for _, s := range types.Specs {
		if declared, isType := s.(*ast.TypeSpec); isType {
			to[declared.Name.Name] = types.Doc.Text() + declared.Doc.Text()
		}
	}
}

// receiverOf returns the exported type of which a declaration is an exported method; "" for all else.
func receiverOf(d ast.Decl) string {
	method, isFunction := d.(*ast.FuncDecl)
	if !isFunction || method.Recv == nil || !method.Name.IsExported() {
		return ""
	}
	of := method.Recv.List[0].Type
	if pointer, isPointer := of.(*ast.StarExpr); isPointer {
		of = pointer.X
	}
	if name, isName := of.(*ast.Ident); isName && name.IsExported() {
		return name.Name
	}
	return ""
}
