package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// model is a small one, in which ACK is not inevitable.
const model = `des (0,3,3)
(0,"REQ",1)
(1,"ACK",2)
(1,"DROP",2)
`

// tree writes files into a new folder; texts are by their names.
func tree(t testing.TB, texts map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// opened reads a manifest in a folder, which must be right.
func opened(t testing.TB, folder, name string) *Manifest {
	t.Helper()
	m, err := Open(context.Background(), filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestManifestYAML(t *testing.T) {
	folder := tree(t, map[string]string{
		"m/a.aut": model, "m/b.aut": model, "c.aut": model,
		"f.inev": "# two\nInev(REQ)\n\n  Inev(REQ,  ACK)\r\n",
		"m.yaml": `# all of it
defaults: &d
  timeout: 5m
  tags: [nightly, all]
  unfold: true
  formula_file: f.inev
jobs:
  - model: m/*.aut
    name: both
  - model: c.aut
    formula: Inev("A, B")
    name: one
    expect: violated
    timeout: 90s
    memory: 1.5GB
    tags: nightly own
    neighbourhood: some
    unfold: false
    scc: iterative
    search-limit: 50M
    passing: fewest
    lenient: true
  - model: c.aut
    formula: Inev(REQ)
    pattern: REQ, DROP
  - {model: c.aut, formula: Inev(REQ), scc: auto, neighbourhood: all, decisions: any}
  - model: c.aut
    formula: Inev(REQ)
    fair: ["weak", "finitely: DROP,{A,  B}"]
  - {model: c.aut, formula: Inev(REQ), fair: full}
`,
	})
	path := func(name string) string { return filepath.Join(folder, name) }
	where := func(line int) Position { return Position{path("m.yaml"), line} }
	usual := func(name, model, formula string, line int) Job {
		return Job{
			Name: name, Model: model, Path: path(model), Formula: formula, Tags: []string{"nightly", "all"},
			Timeout: 5 * time.Minute, Options: Options{Unfold: true}, Where: where(line),
		}
	}
	fairly := func(j Job, assumptions ...string) Job {
		j.Options.Fair = assumptions
		return j
	}
	withPattern := usual("c.aut: Inev(REQ)", "c.aut", "Inev(REQ)", 23)
	withPattern.Options.Pattern = "REQ, DROP"
	want := []Job{
		usual("both: m/a.aut: Inev(REQ)", "m/a.aut", "Inev(REQ)", 8),
		usual("both: m/a.aut: Inev(REQ, ACK)", "m/a.aut", "Inev(REQ,  ACK)", 8),
		usual("both: m/b.aut: Inev(REQ)", "m/b.aut", "Inev(REQ)", 8),
		usual("both: m/b.aut: Inev(REQ, ACK)", "m/b.aut", "Inev(REQ,  ACK)", 8),
		{
			Name: "one", Model: "c.aut", Path: path("c.aut"), Formula: `Inev("A, B")`, Expect: "violated", Tags: []string{"nightly", "all", "own"},
			Timeout: 90 * time.Second, Memory: 1.5e9, Where: where(10),
			Options: Options{Neighbourhood: "some", SCC: "iterative", SearchLimit: 50e6, Passing: "fewest", Lenient: true},
		},
		withPattern,
		usual("c.aut: Inev(REQ) (2)", "c.aut", "Inev(REQ)", 26),
		fairly(usual("c.aut: Inev(REQ) assuming weak:each; finitely:DROP, {A, B}", "c.aut", "Inev(REQ)", 27), "weak:each", "finitely:DROP, {A, B}"),
		fairly(usual("c.aut: Inev(REQ) assuming full", "c.aut", "Inev(REQ)", 30), "full"),
	}
	compareJobs(t, opened(t, folder, "m.yaml").Jobs, want)
}

func compareJobs(t *testing.T, got, want []Job) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d jobs, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("job %d\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
}

func TestManifestTables(t *testing.T) {
	folder := tree(t, map[string]string{
		"c.aut":  model,
		"m.csv":  "\ufeffmodel,Formula,tags,expect\r\n# a comment\r\nc.aut,\"Inev(\"\"A !1\"\", B)\",x; y z,violated\r\n\r\nc.aut, Inev(REQ) ,,\r\n",
		"f2.csv": "model,formula,fair\nc.aut,Inev(REQ),\"weak:A,\"\"b; c\"\"; finitely:DROP\"\nc.aut,Inev(REQ),\n",
		"m.tsv":  "model\tformula\tsearch_limit\nc.aut\tInev(\"A !1\", \"B\")\t1k\n",
	})
	path := filepath.Join(folder, "c.aut")
	compareJobs(t, opened(t, folder, "m.csv").Jobs, []Job{
		{Name: `c.aut: Inev("A !1", B)`, Model: "c.aut", Path: path, Formula: `Inev("A !1", B)`, Tags: []string{"x", "y", "z"}, Expect: "violated", Where: Position{filepath.Join(folder, "m.csv"), 3}},
		{Name: "c.aut: Inev(REQ)", Model: "c.aut", Path: path, Formula: "Inev(REQ)", Where: Position{filepath.Join(folder, "m.csv"), 5}},
	})
	compareJobs(t, opened(t, folder, "f2.csv").Jobs, []Job{
		{Name: `c.aut: Inev(REQ) assuming weak:A, "b; c"; finitely:DROP`, Model: "c.aut", Path: path, Formula: "Inev(REQ)",
			Options: Options{Fair: []string{`weak:A, "b; c"`, "finitely:DROP"}}, Where: Position{filepath.Join(folder, "f2.csv"), 2}},
		{Name: "c.aut: Inev(REQ)", Model: "c.aut", Path: path, Formula: "Inev(REQ)", Where: Position{filepath.Join(folder, "f2.csv"), 3}},
	})
	compareJobs(t, opened(t, folder, "m.tsv").Jobs, []Job{
		{Name: `c.aut: Inev("A !1", "B")`, Model: "c.aut", Path: path, Formula: `Inev("A !1", "B")`, Options: Options{SearchLimit: 1000}, Where: Position{filepath.Join(folder, "m.tsv"), 2}},
	})
}

func TestManifestFolder(t *testing.T) {
	folder := tree(t, map[string]string{
		"a.aut": model, "a.inev": "Inev(REQ)\n",
		"deep/er/b.aut.gz": "x", "deep/er/b.inev": "# none yet\n\nInev(REQ)\nInev(ACK)",
		"alone.aut": model, ".git/c.inev": "nonsense",
		"c/abp.aut": model, "c/abp.mcl": "[ true* . \"REQ\" ]\nfalse\n", "c/abp.lts": "x", "c/library.mcl": "macro A () = true end_macro",
		"c/net.exp": "x", "c/net.mcf": "[ true* . REQ ] false",
	})
	m := opened(t, folder, "")
	compareJobs(t, m.Jobs, []Job{
		{Name: "a.aut: Inev(REQ)", Model: "a.aut", Path: filepath.Join(folder, "a.aut"), Formula: "Inev(REQ)", Where: Position{filepath.Join(folder, "a.inev"), 1}},
		{Name: `c/abp.aut: Never("REQ")`, Model: "c/abp.aut", Path: filepath.Join(folder, "c/abp.aut"), Formula: `Never("REQ")`, Where: Position{File: filepath.Join(folder, "c/abp.mcl")}},
		{Name: `c/net.exp: Never("REQ")`, Model: "c/net.exp", Path: filepath.Join(folder, "c/net.exp"), Formula: `Never("REQ")`, Where: Position{File: filepath.Join(folder, "c/net.mcf")}},
		{Name: "deep/er/b.aut.gz: Inev(REQ)", Model: "deep/er/b.aut.gz", Path: filepath.Join(folder, "deep/er/b.aut.gz"), Formula: "Inev(REQ)", Where: Position{filepath.Join(folder, "deep/er/b.inev"), 3}},
		{Name: "deep/er/b.aut.gz: Inev(ACK)", Model: "deep/er/b.aut.gz", Path: filepath.Join(folder, "deep/er/b.aut.gz"), Formula: "Inev(ACK)", Where: Position{filepath.Join(folder, "deep/er/b.inev"), 4}},
	})
}

// TestNamesOfLongFormulas: a formula of a file that is long, or whose types are defined elsewhere, is called by its
// file in the name of a job; a short one, and one that the manifest has, by its text.
func TestNamesOfLongFormulas(t *testing.T) {
	const long = "[ true* . \"ACK\" . \"REQ\" . (not \"ACK\")* . \"REQ\" . (not \"ACK\")* . \"REQ\" . (not \"ACK\")* . \"REQ\" ] < true > true"
	folder := tree(t, map[string]string{
		"c/a.aut": model, "c/a.mcl": "(* long *)\n" + long,
		"c/b.aut": model, "c/b.mcf": "forall d: D. [REQ] val(good(d))",
		"c/b.mcrl2": "sort D = struct d1 | d2;\nmap good: D -> Bool;\nvar d: D;\neqn good(d) = d == d1 || d == d2;\nact REQ;\ninit REQ;\n",
		"c/s.aut":   model, "c/s.mcf": "nu X. [true]X && <true>true",
		"m.yaml": "jobs:\n  - {name: fair, model: c/*.aut, formula_file: c/a.mcl, fair: weak}\n  - {model: c/a.aut, formula: '" + long + "'}\n",
		"s.svl":  "verify \"c/a.mcl\" in \"c/a.aut\";\n",
	})
	for file, want := range map[string][]string{
		"c":      {"a.aut: a.mcl", "b.aut: b.mcf", "s.aut: DeadlockFree"},
		"m.yaml": {"fair: c/a.aut", "fair: c/b.aut", "fair: c/s.aut", "c/a.aut: " + long[:99] + "…"},
		"s.svl":  {"c/a.aut: c/a.mcl"},
	} {
		var got []string
		for _, j := range opened(t, folder, file).Jobs {
			if j.Refused != "" {
				t.Errorf("%s: %s", file, j.Refused)
			}
			got = append(got, j.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestWrongFilesAreOfTheirJobs: a file that an entry names and that is missing or cannot be read, the model included, and a
// formula that cannot be read, end their own jobs, with the place in the manifest or the file; all others run.
func TestWrongFilesAreOfTheirJobs(t *testing.T) {
	folder := tree(t, map[string]string{
		"c.aut": model, "none.inev": "# nothing\n", "latin.inev": "Inev(\xe4)\n", "bad.hoa": "HOA: v2\n", "m/x.txt": "", "broken.aut": "des\n",
		"m.yaml": `jobs:
  - {name: good, model: c.aut, formula: Inev(REQ)}
  - {name: missing, model: missing.aut, formula: Inev(REQ)}
  - {name: broken, model: broken.aut, formula: Inev(REQ)}
  - {name: folder, model: m, formula: Inev(REQ)}
  - {name: glob, model: "m/*.aut", formula: Inev(REQ)}
  - {name: formula, model: c.aut, formula: "Inev(REQ"}
  - {name: no file, model: c.aut, formula_file: nowhere.inev}
  - {name: no formula, model: c.aut, formula_file: none.inev}
  - {name: latin, model: c.aut, formula_file: latin.inev}
  - {name: hoa, model: c.aut, hoa: bad.hoa}
  - {name: no hoa, model: c.aut, hoa: nowhere.hoa}
  - {name: states, model: c.aut, formula: Inev(REQ), states: nowhere.tsv}
  - {name: source, model: c.aut, formula: Inev(REQ), source: [nowhere.lnt]}
  - {name: lanes, model: c.aut, formula: Inev(REQ), lanes: nowhere.txt}
  - {name: tla, model: c.aut, formula: Live, tla: Nowhere.tla}
  - {name: last, model: c.aut, formula: Inev(ACK), expect: violated}
`})
	var all strings.Builder
	out := run(t, opened(t, folder, "m.yaml"), Settings{Folder: filepath.Join(folder, "r")})
	for _, r := range out.Results {
		fmt.Fprintf(&all, "%s: %s %s\n", r.Job.Name, r.Status, r.Error)
	}
	got := strings.ReplaceAll(strings.ReplaceAll(all.String(), folder+string(filepath.Separator), "DIR/"), folder, "DIR")
	golden.Check(t, "testdata/files.txt", []byte(got))

	// What was missing is done by a later run.
	if err := os.WriteFile(filepath.Join(folder, "missing.aut"), []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	out = run(t, opened(t, folder, "m.yaml"), Settings{Folder: filepath.Join(folder, "r"), Begin: Resume})
	if out.Reused != 2 || out.Results[1].Status != Satisfied {
		t.Errorf("%d results are reused, and the model that is there now has %s", out.Reused, out.Results[1].Status)
	}
}

// TestFolderOfUnreadableFormulas: jobs without a formula that can be read are jobs of a folder, too, also without a model.
func TestFolderOfUnreadableFormulas(t *testing.T) {
	folder := tree(t, map[string]string{"a.aut": model, "a.inev": "Inev(REQ\nInev(,)\n", "b.inev": "Inev(REQ)\n"})
	var refused []string
	for _, j := range opened(t, folder, "").Jobs {
		refused = append(refused, j.Refused)
	}
	got := strings.Join(refused, "\n")
	for _, want := range []string{"a.inev:1: formula: ", "a.inev:2: formula: ", "b.inev: model b.aut: there is no such file"} {
		if len(refused) != 3 || !strings.Contains(got, want) {
			t.Errorf("the mistakes are %q", got)
		}
	}
}

// TestManifestsThatAreNoPlainFiles: a folder or file that is a link is what it leads to,
// and a manifest can come through a pipe.
func TestManifestsThatAreNoPlainFiles(t *testing.T) {
	folder := tree(t, map[string]string{
		"real/a.aut": model, "real/a.inev": "Inev(REQ)\n", "m.csv": "model,formula\nreal/a.aut,Inev(REQ)\n",
	})
	for link, to := range map[string]string{"linked": "real", "l.csv": "m.csv", "real/loop": "../real"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Skip(err)
		}
	}
	want := func(path, file string, line int) []Job {
		return []Job{{Name: path + ": Inev(REQ)", Model: path, Path: filepath.Join(folder, "linked", path), Formula: "Inev(REQ)", Where: Position{filepath.Join(folder, file), line}}}
	}
	compareJobs(t, opened(t, folder, "linked").Jobs, want("a.aut", "linked/a.inev", 1))
	through := want("real/a.aut", "l.csv", 2)
	through[0].Path = filepath.Join(folder, "real/a.aut")
	compareJobs(t, opened(t, folder, "l.csv").Jobs, through)
}

// mistakesIn returns the mistakes of a manifest, with DIR for its folder.
func mistakesIn(t *testing.T, folder, name string) string {
	t.Helper()
	_, err := Open(context.Background(), filepath.Join(folder, name))
	var all *ManifestError
	if !errors.As(err, &all) {
		t.Fatalf("error %v", err)
	}
	var text strings.Builder
	for _, m := range all.Mistakes {
		fmt.Fprintln(&text, m)
		if m.Caret != "" {
			fmt.Fprintln(&text, m.Caret)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(text.String(), folder+string(filepath.Separator), "DIR/"), folder, "DIR")
}

func TestEveryMistakeIsTold(t *testing.T) {
	folder := tree(t, map[string]string{
		"c.aut": model, "bad.inev": "Inev(A)\nInev(A,\nInev)\n", "none.inev": "# nothing\n", "latin.inev": "Inev(\xe4)\n",
		"m/x.txt": "", "good.inev": "Inev(A)\n",
		"m.yaml": `defaults:
  name: all
  tags: [{a: b}]
jobs:
  - modle: c.aut
    formula: Inev(A)
  - model: missing.aut
    formula: Inev(A, )
    expect: violate
    timeout: 90
    memory: lots
  - model: m/*.aut
    formula_file: bad.inev
  - model: c.aut
    formula_file: nowhere.inev
    unfold: perhaps
    scc: fast
    neighbourhood: most
    passing: few
    search_limit: -1
  - {model: c.aut, formula: Inev(A), name: same}
  - {model: c.aut, formula: Inev(A), name: same}
  - just a text
  - model: [a, b]
    formula:
  - model: c.aut
    model: d.aut
    formula: Inev(A)
    formula_file: good.inev
  - {model: m, formula: Inev(A), pattern: "A, ", colour: red}
  - {model: m/**/x, formula: Inev(A), pattern: A, passing: most}
  - {model: "m/[", formula_file: none.inev}
  - {model: c.aut, formula_file: latin.inev}
  - {model: c.aut}
  - model: c.aut
    formula: Inev(A)
    fair:
      - weak
      - unfair
      - "finitely"
      - "weak:A)"
      - [full]
  - {model: c.aut, formula: Inev(A), fair: [full, "strong:A"]}
  - {model: c.aut, formula: Inev(A), fair: [full], passing: most}
  - {model: c.aut, formula: Inev(A), fair: {full: true}}
job: 1
`,
	})
	golden.Check(t, "testdata/mistakes.txt", []byte(mistakesIn(t, folder, "m.yaml")))
}

func TestMistakesElsewhere(t *testing.T) {
	folder := tree(t, map[string]string{
		"c.aut":       model,
		"syntax.yaml": "jobs:\n  - model: c.aut\n    formula: \"Inev(A)\n",
		"list.yaml":   "- model: c.aut\n",
		"empty.yaml":  "# nothing\n",
		"nojobs.yaml": "jobs: []\n",
		"typo.yaml":   "job:\n- model: c.aut\n",
		"map.yaml":    "jobs:\n  model: c.aut\n",
		"two.yaml":    "jobs: []\n---\njobs: []\n",
		"quote.csv":   "model,formula\nc.aut,Inev(\"A\")\n",
		"fields.csv":  "model,formula\nc.aut,Inev(A, B)\nc.aut\n",
		"header.csv":  "modell,formula,formula,frobnicate\n",
		"binary.csv":  "model,formula\nc.aut,\xff\n",
		"kind.txt":    "",
		"empty/x":     "",
	})
	var all strings.Builder
	for _, name := range []string{
		"syntax.yaml", "list.yaml", "empty.yaml", "nojobs.yaml", "typo.yaml", "map.yaml", "two.yaml",
		"quote.csv", "fields.csv", "header.csv", "binary.csv", "kind.txt", "empty", "missing.yaml",
	} {
		all.WriteString(mistakesIn(t, folder, name))
	}
	golden.Check(t, "testdata/elsewhere.txt", []byte(all.String()))
}

// TestAnythingMayBeInAManifest: whatever a manifest holds, it is read or refused,
// with places that exist.
func TestAnythingMayBeInAManifest(t *testing.T) {
	folder := tree(t, map[string]string{"c.aut": model})
	piece := rapid.SampledFrom([]string{
		"jobs:", "defaults:", "- ", "  ", "\n", "\n  - ", "model", ": ", "c.aut", "formula", "Inev(A)", "Inev(", "[", "]", "{", "}", "*a", "&a ", "tags",
		"timeout", "5m", "\"", "'", "|", ">", "!!binary ", "? ", "<<", "#", ",", "\t", "\r", "name", "x", "\x00", "é", "\xff", "---", "~",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		name := filepath.Join(folder, rapid.SampledFrom([]string{"m.yaml", "m.csv", "m.tsv"}).Draw(t, "kind"))
		readAnything(t, name, text)
	})
}

func FuzzManifest(f *testing.F) {
	f.Add("yaml", "jobs:\n  - model: c.aut\n    formula: Inev(A)\n")
	f.Add("csv", "model,formula\nc.aut,\"Inev(\"\"A\"\")\"\n")
	f.Add("tsv", "model\tformula\nc.aut\tInev(\"A\")\n")
	f.Fuzz(func(t *testing.T, kind, text string) {
		defer mutation.Limited()()
		if kind != "yaml" && kind != "csv" {
			kind = "tsv"
		}
		readAnything(t, filepath.Join(tree(t, map[string]string{"c.aut": model}), "m."+kind), text)
	})
}

// FuzzMutantsOfManifests is FuzzManifest for files with tokens exchanged.
func FuzzMutantsOfManifests(f *testing.F) {
	texts := map[string]string{
		"yaml": "defaults: {timeout: 5m, tags: [a, b]}\njobs:\n  - model: c.aut\n    formula: Inev(A)\n    expect: violated\n  - {model: '*.aut', formula: 'G A', fair: [full], memory: 6GB}\n",
		"csv":  "model,formula,expect,tags\nc.aut,\"Inev(\"\"A\"\", B)\",violated,a b\n# x\n*.aut,G A,,\n",
		"tsv":  "model\tformula\tname\nc.aut\tInev(\"A\")\tn\n",
	}
	words := []string{"jobs:", "defaults:", "model", "formula", "formula_file", "hoa", "name", "expect", "timeout", "memory", "tags", "fair", "- ", "? ", "&a ", "*a", "<<: ", "|\n", ">-\n", "{", "}", "[", "]", "\"", "'", ",", "\t", "\n", "  ", "!!binary ", "---\n", "c.aut", "/dev/null", "../", "**"}
	for _, kind := range []string{"yaml", "csv", "tsv"} {
		f.Add(kind, []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, kind string, program []byte) {
		defer mutation.Limited()()
		if texts[kind] == "" {
			kind = "yaml"
		}
		readAnything(t, filepath.Join(tree(t, map[string]string{"c.aut": model}), "m."+kind), mutation.Of(texts[kind], program, words))
	})
}

func readAnything(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Open(context.Background(), name)
	if err == nil {
		names := map[string]bool{}
		for _, j := range m.Jobs {
			if names[j.Name] || j.Name == "" {
				t.Fatalf("name %q is taken, or none", j.Name)
			}
			names[j.Name] = true
			if back, err := json.Marshal(j); err != nil {
				t.Fatal(err)
			} else if again := (Job{}); json.Unmarshal(back, &again) != nil || !reflect.DeepEqual(again, j) {
				t.Fatalf("JSON makes %+v of %+v", again, j)
			}
		}
		return
	}
	var all *ManifestError
	if !errors.As(err, &all) || len(all.Mistakes) == 0 {
		t.Fatalf("error %v", err)
	}
	// In YAML a carriage return alone ends a line, too.
	lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2
	for _, m := range all.Mistakes {
		if m.Where.Line > lines || m.Message == "" || strings.Contains(m.Message, "\n") {
			t.Fatalf("mistake %+v in %d lines", m, lines)
		}
	}
}
