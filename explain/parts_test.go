package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplanationIsMadeOnce: one function makes explanations, and no method of one assigns to it.
func TestExplanationIsMadeOnce(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			receiver := receiverOf(f, "Explanation")
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if id, is := n.Type.(*ast.Ident); is && id.Name == "Explanation" {
						made++
					}
				case *ast.AssignStmt:
					for _, to := range n.Lhs {
						if s, is := to.(*ast.SelectorExpr); is && receiver != "" && isIdent(s.X, receiver) {
							t.Errorf("%s: %s sets %s of an explanation that is made", name, f.Name.Name, s.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	if made != 1 {
		t.Errorf("explanations are made in %d places", made)
	}
}

// receiverOf returns the name of the receiver of a method of a type; "" of others.
func receiverOf(f *ast.FuncDecl, of string) string {
	if f.Recv == nil || len(f.Recv.List[0].Names) == 0 {
		return ""
	}
	at := f.Recv.List[0].Type
	if p, is := at.(*ast.StarExpr); is {
		at = p.X
	}
	if !isIdent(at, of) {
		return ""
	}
	return f.Recv.List[0].Names[0].Name
}

func isIdent(e ast.Expr, name string) bool {
	id, is := e.(*ast.Ident)
	return is && id.Name == name
}
