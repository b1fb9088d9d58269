//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mostMemory is what the server may take for the hostile workspaces below, which have no large model.
const mostMemory = 700 << 20

// hostile are workspaces that somebody else has made: the documents that are opened, by their names.
// Each says what one of them would do to a server that believes it.
var hostile = []struct {
	name  string
	makes func(t *testing.T, folder string) (documents map[string]string)
}{
	{"its own input", func(*testing.T, string) map[string]string {
		return map[string]string{
			"stdin.inev":  "# model: /dev/stdin\n# model: /dev/fd/0\n# model: /proc/self/fd/0\n# model: /proc/self/fd/1\nInev(A)\n",
			"macros.inev": "library \"/dev/stdin\" end_library [true*] <true> true\n",
			"stdin.mcl":   "library \"/proc/self/fd/0\" end_library [true*] <true> true\n",
			"inev.yaml":   "jobs:\n  - {model: /dev/stdin, formula: Inev(A)}\n  - {model: /dev/fd/0, formula_file: /dev/stdin}\n",
		}
	}},
	{"globs without end", func(t *testing.T, folder string) map[string]string {
		var manifest strings.Builder
		manifest.WriteString("jobs:\n")
		for i := range 300 {
			fmt.Fprintf(&manifest, "  - {model: /*/*/*/*/*/%s*.aut, formula: Inev(A)}\n", strings.Repeat("?", i%50))
		}
		return map[string]string{
			"glob.inev":   "# model: /*/*/*/*/*/*/*.aut\nInev(A)\n",
			"proc.inev":   "# model: /proc/self/root/proc/self/root/*/*/*/*/*/*.aut\nInev(A)\n",
			"long.inev":   "# model: " + strings.Repeat("/*", 100_000) + "\nInev(A)\n",
			"glob.yaml":   manifest.String(),
			"source.yaml": "jobs:\n  - {model: m.aut, formula: Inev(A), source: [/]}\n",
		}
	}},
	{"devices without end", func(*testing.T, string) map[string]string {
		return map[string]string{
			"zero.inev": "# model: /dev/zero\n# model: /dev/urandom\n# model: /dev/tty\nInev(A)\n",
			"zero.mcl":  "library \"/dev/zero\" end_library true\n",
			"zero.yaml": "jobs:\n  - {model: /dev/zero, formula: Inev(A)}\n  - {model: m.aut, formula_file: /dev/zero}\n  - {model: m.aut, hoa: /dev/zero}\n" +
				"  - {model: m.aut, formula: Inev(A), states: /dev/zero, source: [/dev/zero], lanes: /dev/zero}\n  - {model: m.aut, tla: /dev/zero, cfg: /dev/zero}\n",
		}
	}},
	{"pipes and links", func(t *testing.T, folder string) map[string]string {
		for _, name := range []string{"pipe.aut", "pipe", "Pipe.tla", "Pipe.cfg", "pipe.tsv", "near.aut", "near.aut.gz", "inev.yaml"} {
			if err := syscall.Mkfifo(filepath.Join(folder, name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for name, to := range map[string]string{"linked.aut": "pipe", "zero.aut": "/dev/zero", "loop": ".", "self.aut": "self.aut", "input.aut": "/proc/self/fd/0"} {
			if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		files(t, folder, map[string]string{
			"Includes.tla": "---- MODULE Includes ----\nEXTENDS Pipe\n====\n", "Includes.dot": "digraph DiskGraph {\n}\n",
		})
		return map[string]string{
			"pipe.inev": "# model: pipe.aut\n# model: linked.aut\n# model: zero.aut\n# model: input.aut\n# model: self.aut\n# model: *.aut\n# model: loop/loop/loop/*.aut\nInev(A)\n",
			"near.inev": "Inev(A)\n",
			"pipe.mcl":  "library \"pipe\" end_library true\n",
			"pipe.yaml": "jobs:\n  - {model: pipe.aut, formula: Inev(A)}\n  - {model: m.aut, formula_file: pipe}\n  - {model: m.aut, hoa: pipe}\n  - {model: m.aut, formula: Inev(A), states: pipe.tsv}\n" +
				"  - {model: m.aut, formula: Inev(A), source: [Pipe.tla]}\n  - {model: m.aut, formula: Inev(A), lanes: pipe}\n  - {model: Includes.dot, tla: Includes.tla, cfg: Pipe.cfg}\n  - {model: Includes.dot, tla: Pipe.tla}\n",
		}
	}},
	{"large texts", func(t *testing.T, folder string) map[string]string {
		many := map[string]string{"wide.aut": "des (0, 1, 2)\n(0, \"" + strings.Repeat("A", 900_000) + "\", 1)\n"}
		for i := range 400 {
			many[fmt.Sprintf("m%d.aut", i)] = "des (0, 1, 2)\n(0, A, 1)\n"
		}
		many["formulas.inev"] = strings.Repeat("Inev(A)\n", 50_000)
		files(t, folder, many)
		return map[string]string{
			"lines.inev":     strings.Repeat("Inev(A)\n", 60_000),
			"empty.inev":     strings.Repeat("\n", 300_000),
			"line.inev":      "Inev(" + strings.Repeat("A, ", 50_000) + "A)",
			"deep.inev":      strings.Repeat("!(", 100_000) + "\n" + strings.Repeat("X ", 100_000) + "\n" + strings.Repeat("[", 100_000),
			"product.inev":   "# model: m*.aut\n" + strings.Repeat("Inev(A)\nInev(B)\nNever(A)\n", 3000),
			"product.yaml":   "jobs:\n  - {model: m*.aut, formula_file: formulas.inev}\n",
			"aliases.yaml":   "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + aliases(),
			"wide.inev":      "Inev(AAAA)\n",
			"binary.inev":    "\x00\x01\xff\xfe# model: \x00\nInev(\x00)\n\x7fELF",
			"regular.inev":   "/" + strings.Repeat("(a*)*", 10_000) + "/\nInev(/((((a{1,100}){1,100}){1,100}){1,100}){1,100}/)\n",
			"quantities.mcl": "<(" + strings.Repeat("(true*|", 20_000) + "true" + strings.Repeat(")*", 20_000) + ")> true",
		}
	}},
	{"names and escapes", func(t *testing.T, folder string) map[string]string {
		name := "\x1b]0;owned\x07\u202e.aut"
		files(t, folder, map[string]string{name: "des (0, 1, 2)\n(0, \"\x1b[2J\u202e`](command:evil)\", 1)\n", "new\nline.aut": "des (x\x1b[2J\n"})
		return map[string]string{
			"escapes.inev":    "# model: " + name + "\n# model: *.aut\n# model: ../../../../../../etc/passwd\n# model: //host/share/x.aut\n# model: /~x/%zz/y\n# model: ~/x.aut\nInev(\x1b[2J)\nInev(\"\x1b[2J\")\nNever(A)\n",
			"new\nline.inev":  "Inev(A)\n",
			"es\x1b[2J.inev":  "Inev(A\n",
			"escapes.yaml":    "jobs:\n  - {model: \"\\e[2J.aut\", formula: \"Inev(\\e[2J)\", name: \"\\e[2J\"}\n  - {model: ../../../../../../../etc/passwd, formula: Inev(A)}\n",
			"..%2f..%2f.inev": "# model: ..%2f..%2fetc/passwd\nInev(A)\n",
		}
	}},
}

// aliases is a text that is long once the names in it are replaced by what they stand for.
func aliases() string {
	var b strings.Builder
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	return b.String() + "jobs: *j\n"
}

func files(t *testing.T, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// settles waits until no check of a document is under way.
func (p *process) settles(name string) {
	p.t.Helper()
	p.until("the checks of "+name+" end", func(message) bool {
		last := ""
		for _, m := range p.messages { // until holds the lock
			if m.Method == "inev/verdicts" && strings.Contains(string(m.Params), "/"+name+`"`) {
				last = string(m.Params)
			}
		}
		return !strings.Contains(last, `"pending"`)
	})
}

// TestHostileFiles: whatever a workspace holds, the server answers about another document meanwhile,
// takes little memory, and ends when it is asked to.
func TestHostileFiles(t *testing.T) {
	for _, w := range hostile {
		t.Run(w.name, func(t *testing.T) {
			folder := t.TempDir()
			files(t, folder, map[string]string{"m.aut": "des (0, 1, 2)\n(0, A, 1)\n", "good.aut": "des (0, 2, 3)\n(0, GOOD, 1)\n(1, BETTER, 2)\n"})
			documents := w.makes(t, folder)
			p := start(t, "1", "-look", "50ms", "-timeout", "5s")
			p.begin(folder)
			good := p.open(filepath.Join(folder, "good.inev"), "# model: good.aut\nInev(GOOD)\n")
			uris := map[string]string{}
			for name, text := range documents {
				uris[name] = p.open(filepath.Join(folder, name), text)
			}
			completes := func() {
				t.Helper()
				m := p.ask("textDocument/completion", object{"textDocument": object{"uri": good}, "position": object{"line": 1, "character": 5}})
				if m.Error != nil {
					t.Errorf("completion in another document: %+v", m.Error)
				}
			}
			for version := 2; version < 8; version++ { // somebody types
				for name, text := range documents {
					if len(text) < 100_000 || version == 2 {
						p.change(uris[name], version, text+strings.Repeat("\n", version))
					}
				}
				completes()
			}
			for name, text := range documents {
				p.notify("textDocument/didSave", object{"textDocument": object{"uri": uris[name]}})
				for i, method := range []string{"textDocument/completion", "textDocument/hover", "textDocument/codeLens", "textDocument/documentSymbol", "textDocument/formatting"} {
					p.send(encoded(object{"jsonrpc": "2.0", "id": fmt.Sprint(name, i), "method": method, "params": object{
						"textDocument": object{"uri": uris[name]}, "position": object{"line": strings.Count(text, "\n") / 2, "character": 9},
					}}))
				}
			}
			completes()
			p.notify("textDocument/didSave", object{"textDocument": object{"uri": good}})
			p.until("the other document is checked", func(m message) bool {
				return m.Method == "inev/verdicts" && strings.Contains(string(m.Params), "good.inev") && strings.Contains(string(m.Params), `"satisfied"`)
			})
			for name := range documents {
				p.until("a request about "+name+" is answered", func(m message) bool { return m.ID == name+"0" && m.Method == "" })
			}
			if w.name != "large texts" { // it has thousands of checks
				for name := range documents {
					p.settles(name)
				}
			}
			t.Logf("it has taken %d MB", p.peak()>>20)
			if taken := p.peak(); taken > mostMemory && !raced {
				t.Errorf("it has taken %d MB", taken>>20)
			}
			if code := p.leave(); code != 0 {
				t.Errorf("the exit code is %d", code)
			}
			if strings.ContainsAny(p.log.String(), "\x1b\x07") {
				t.Errorf("the terminal gets %q", p.log.String())
			}
			if strings.Contains(p.log.String(), "panic") {
				t.Errorf("it says %.2000s", p.log.String())
			}
		})
	}
}
