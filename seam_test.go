package inev_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/packages"
)

// asksForChain is what code is like that is written twice, for chains and for other properties.
var asksForChain = regexp.MustCompile(`\.Chain\(\)|\bchain [!=]= nil|\.Enriched\(\)`)

// mostAsking is the number of places that may ask, mostInExplain that of places in package explain and the packages inside:
// they may only fall.
const (
	mostAsking    = 15
	mostInExplain = 22
)

func TestFewAskForChains(t *testing.T) {
	var places []string
	for _, source := range sources(t) {
		if isWithin(source.path, "tools") || isWithin(source.path, "modules") {
			continue
		}
		// The words first, since the expression alone takes a second for all sources.
		for line := range strings.Lines(source.text) {
			if slices.ContainsFunc([]string{".Chain()", "chain ", ".Enriched()"}, func(word string) bool { return strings.Contains(line, word) }) && asksForChain.MatchString(line) {
				places = append(places, source.path+": "+strings.TrimSpace(line))
			}
		}
	}
	if len(places) > mostAsking {
		t.Errorf("%d places ask whether a property is a chain, more than %d:\n%s", len(places), mostAsking, strings.Join(places, "\n"))
	}
}

// TestExplainSeldomAsksForChains: what is done of a property, what is pending and which step is lost
// are methods, and results do not ask for which kind of property they are. Counted, by types, is
// who takes a chain or compares the number of its steps with a constant.
func TestExplainSeldomAsksForChains(t *testing.T) {
	const explain = packages.Module + "/explain"
	var places []string
	for _, p := range compiledPackages(t, "./explain/...") {
		if p.ImportPath != explain && !strings.HasPrefix(p.ImportPath, explain+"/") {
			continue
		}
		set, files, info := checked(t, p)
		isOf := func(e ast.Expr, typ, method string) bool {
			call, is := e.(*ast.CallExpr)
			if !is {
				return false
			}
			callee, is := call.Fun.(*ast.SelectorExpr)
			if !is || callee.Sel.Name != method || info.Selections[callee] == nil {
				return false
			}
			of, is := named(info.Selections[callee].Recv())
			return is && of.Pkg() != nil && of.Pkg().Path()+"."+of.Name() == packages.Module+"/"+typ
		}
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				asks := false
				switch n := n.(type) {
				case *ast.CallExpr:
					asks = isOf(n, "property.Property", "Chain") || isOf(n, "neighbourhood/fate.Map", "Enriched")
				case *ast.BinaryExpr:
					asks = (n.Op == token.EQL || n.Op == token.NEQ || n.Op == token.GTR || n.Op == token.LSS) &&
						isOf(n.X, "property.Property", "Steps") && info.Types[n.Y].Value != nil
				}
				if asks {
					places = append(places, set.Position(n.Pos()).String())
				}
				return true
			})
		}
	}
	if len(places) > mostInExplain || len(places) == 0 {
		t.Errorf("%d places ask whether a property is a chain, 1 to %d may:\n%s", len(places), mostInExplain, strings.Join(places, "\n"))
	}
}
