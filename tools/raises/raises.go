// Package raises finds the functions of the module that may end with an error raised by package
// abort, so that a reader of a call does not have to know it: an exported function returns its
// errors. A function that is not reported does not raise, as far as calls are known. A function
// that makes a closure, or takes a function as a value, counts as its caller.
package raises

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const abortSuffix = "/internal/abort"

// Function is a function that raises, or that catches what is raised.
type Function struct {
	// Package is the path of its package in the module, and Name is its name, with its
	// receiver.
	Package, Name string
	Position      token.Position
	// By are the calls that lead to the call that raises, the function's own call first.
	By []string
	// Exported reports whether its name is exported, so that code of other packages may call it.
	Exported bool
}

func (f Function) String() string {
	return fmt.Sprintf("%s: %s.%s, by %s", f.Position, f.Package, f.Name,
		strings.Join(f.By, ", "))
}

// Found are the functions of a module that raise, and those that catch.
type Found struct {
	Raise []Function
	Catch []Function
}

// module looks at the whole module, once.
var module = sync.OnceValues(func() (*Found, error) {
	return In("../..", "./...")
})

// In looks at the packages that match the patterns in a folder of the module. It fails if they do
// not compile.
func In(folder string, patterns ...string) (*Found, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Dir:  folder,
	}
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	if len(loaded) == 0 || loaded[0].Module == nil {
		return nil, errors.New("there are no packages of a module")
	}
	root, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	program, compiled := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	program.Build()
	s := &search{
		module:   loaded[0].Module.Path,
		root:     root,
		program:  program,
		packages: map[*ssa.Package]bool{},
		raisedBy: map[*ssa.Function]*ssa.Function{},
	}
	for _, p := range compiled {
		if p != nil {
			s.packages[p] = true
		}
	}
	s.collect()
	s.spread()
	return s.found(), nil
}

// search follows calls backwards: from the functions that call abort.On to all their callers.
type search struct {
	module   string
	root     string
	program  *ssa.Program
	packages map[*ssa.Package]bool

	functions []*ssa.Function
	// methods has the methods of the module by name, for calls through interfaces.
	methods map[string][]*ssa.Function
	// callers has, for each function, the functions that call it, or use it as a value, without
	// catching its errors.
	callers map[*ssa.Function][]*ssa.Function
	// raisedBy has, for each function that raises, the call that does.
	raisedBy map[*ssa.Function]*ssa.Function
	catches  map[*ssa.Function]bool
}

// collect finds all functions of the module and their calls.
func (s *search) collect() {
	s.methods = map[string][]*ssa.Function{}
	s.callers = map[*ssa.Function][]*ssa.Function{}
	s.catches = map[*ssa.Function]bool{}
	for f := range ssautil.AllFunctions(s.program) {
		if f.Blocks == nil || !s.isOfModule(f) || s.isOfAbort(f) {
			continue
		}
		s.functions = append(s.functions, f)
		if f.Signature.Recv() != nil {
			s.methods[f.Name()] = append(s.methods[f.Name()], f)
		}
		if hasDeferredCaught(f) {
			s.catches[f] = true
		}
	}
	slices.SortFunc(s.functions, func(a, b *ssa.Function) int {
		return strings.Compare(a.RelString(nil)+s.position(a).String(),
			b.RelString(nil)+s.position(b).String())
	})
	for _, f := range s.functions {
		s.collectCalls(f)
	}
}

func (s *search) isOfModule(f *ssa.Function) bool {
	if f.Pkg != nil {
		return s.packages[f.Pkg]
	}
	if origin := f.Origin(); origin != nil {
		return s.isOfModule(origin)
	}
	return false
}

func (s *search) isOfAbort(f *ssa.Function) bool {
	p := f.Package()
	if p == nil && f.Origin() != nil {
		p = f.Origin().Package()
	}
	return p != nil && strings.HasSuffix(p.Pkg.Path(), abortSuffix)
}

// nameInAbort returns the name of a function of package abort; "" for others.
func nameInAbort(f *ssa.Function) string {
	if f == nil {
		return ""
	}
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if f.Object() == nil || f.Object().Pkg() == nil ||
		!strings.HasSuffix(f.Object().Pkg().Path(), abortSuffix) {
		return ""
	}
	return f.Name()
}

func hasDeferredCaught(f *ssa.Function) bool {
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if d, isDefer := i.(*ssa.Defer); isDefer &&
				nameInAbort(d.Call.StaticCallee()) == "Caught" {
				return true
			}
		}
	}
	return false
}

// collectCalls records what a function calls, or uses as a value.
func (s *search) collectCalls(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instruction := range b.Instrs {
			call, isCall := instruction.(ssa.CallInstruction)
			if isCall {
				s.collectCall(f, call.Common())
			}
			s.collectValues(f, instruction, isCall)
		}
	}
}

// collectCall records that f calls a function; for a method of an interface, each method that it can be.
func (s *search) collectCall(f *ssa.Function, call *ssa.CallCommon) {
	if call.IsInvoke() {
		for _, method := range s.methods[call.Method.Name()] {
			receiver := method.Signature.Recv().Type()
			if types.Implements(receiver, call.Value.Type().Underlying().(*types.Interface)) {
				s.addCaller(method, f)
			}
		}
		return
	}
	callee := call.StaticCallee()
	switch nameInAbort(callee) {
	case "On", "Must", "IfDone":
		s.raisedBy[f] = callee
	case "Try":
		s.catches[f] = true
	case "":
		if callee != nil {
			s.addCaller(callee, f)
		}
	}
}

// collectValues records functions that an instruction uses as values: f raises the errors that they
// raise, unless abort.Try catches them.
func (s *search) collectValues(f *ssa.Function, instruction ssa.Instruction, isCall bool) {
	if isCall {
		call := instruction.(ssa.CallInstruction).Common()
		if nameInAbort(call.StaticCallee()) == "Try" {
			return
		}
		for _, argument := range call.Args {
			if value, isFunction := argument.(*ssa.Function); isFunction {
				s.addCaller(value, f)
			}
		}
		return
	}
	if closure, isClosure := instruction.(*ssa.MakeClosure); isClosure {
		if !isOnlyTried(closure) {
			s.addCaller(closure.Fn.(*ssa.Function), f)
		}
		return
	}
	for _, operand := range instruction.Operands(nil) {
		if value, isFunction := (*operand).(*ssa.Function); isFunction {
			s.addCaller(value, f)
		}
	}
}

// isOnlyTried reports whether a closure is an argument of abort.Try, and nothing else.
func isOnlyTried(closure *ssa.MakeClosure) bool {
	for _, user := range *closure.Referrers() {
		call, isCall := user.(ssa.CallInstruction)
		if !isCall || nameInAbort(call.Common().StaticCallee()) != "Try" {
			return false
		}
	}
	return true
}

func (s *search) addCaller(callee, caller *ssa.Function) {
	if !slices.Contains(s.callers[callee], caller) {
		s.callers[callee] = append(s.callers[callee], caller)
	}
}

// spread goes along callers until somebody catches.
func (s *search) spread() {
	var next []*ssa.Function
	for _, f := range s.functions {
		if s.raisedBy[f] != nil && !hasDeferredCaught(f) {
			next = append(next, f)
		} else {
			delete(s.raisedBy, f)
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, caller := range s.callers[next[0]] {
			if s.raisedBy[caller] == nil && !hasDeferredCaught(caller) {
				s.raisedBy[caller] = next[0]
				next = append(next, caller)
			}
		}
	}
}

func (s *search) position(f *ssa.Function) token.Position {
	p := s.program.Fset.Position(f.Pos())
	if relative, err := filepath.Rel(s.root, p.Filename); err == nil {
		p.Filename = relative
	}
	return p
}

// found returns the functions that may raise.
func (s *search) found() *Found {
	found := &Found{}
	for _, f := range s.functions {
		if f.Parent() != nil || f.Synthetic != "" {
			continue // a closure belongs to who makes it
		}
		if s.raisedBy[f] != nil {
			found.Raise = append(found.Raise, s.function(f))
		}
		if s.catches[f] {
			found.Catch = append(found.Catch, s.function(f))
		}
	}
	return found
}

// function describes a function by its package, its name and its position.
func (s *search) function(f *ssa.Function) Function {
	described := Function{
		Package:  strings.TrimPrefix(strings.TrimPrefix(f.Pkg.Pkg.Path(), s.module), "/"),
		Name:     f.RelString(f.Pkg.Pkg),
		Position: s.position(f),
		Exported: token.IsExported(f.Name()),
	}
	for at := f; s.raisedBy[at] != nil; at = s.raisedBy[at] {
		described.By = append(described.By, s.raisedBy[at].Name())
	}
	return described
}
