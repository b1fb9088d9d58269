package citest

import (
	"context"
	"crypto/sha256"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/packages"

	"github.com/inev-lts/inev/internal/testing/golden"
	buildcommand "github.com/inev-lts/inev/tools/build"
)

// release is the part of GoReleaser's configuration that decides what people get.
type release struct {
	Version int
	Builds  []struct {
		Dir, Main, Binary         string
		Env, Flags, Tags, Ldflags []string
		Goos, Goarch, Ignore      []string
	}
	Archives []struct {
		ID           string
		Meta         bool
		NameTemplate string `yaml:"name_template"`
		Files        []yaml.Node
	}
	Casks []struct {
		CustomBlock string `yaml:"custom_block"`
		Completions map[string]string
	} `yaml:"homebrew_casks"`
	Before   struct{ Hooks []string }
	Checksum struct{ Algorithm string }
	Nfpms    []struct {
		Formats  []string
		Contents []struct{ Src, Dst, Packager string }
	}
	Images []struct {
		IDs        []string `yaml:"ids"`
		Images     []string
		Dockerfile string
		ExtraFiles []string `yaml:"extra_files"`
	} `yaml:"dockers_v2"`
}

func readRelease(t *testing.T) release {
	t.Helper()
	var r release
	if err := yaml.Unmarshal([]byte(read(t, top+"/.goreleaser.yaml")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.Builds) != 3 || len(r.Archives) != 2 {
		t.Fatalf("%+v", r)
	}
	return r
}

// checkPlayground: the playground's archive has all files of the folder that is made before, those in its folders
// included.
func checkPlayground(t *testing.T, r release) {
	t.Helper()
	p := r.Archives[1]
	if p.ID != "playground" || !p.Meta || len(p.Files) != 1 {
		t.Fatalf("the playground is not in %+v", p)
	}
	var file struct{ Src, Dst string }
	if err := p.Files[0].Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Src != "cmd/inev/engine/**" || file.Dst != "playground" {
		t.Errorf("the archive of the playground has %+v", file)
	}
}

// TestRelease: static programs for these systems, with what belongs to them.
func TestRelease(t *testing.T) {
	r := readRelease(t)
	for _, build := range r.Builds {
		flags := []string{"-trimpath"}
		if build.Binary == "inev" {
			flags = append(flags, "-overlay=release/overlay.json")
		}
		for _, c := range []struct{ got, want []string }{
			{build.Env, []string{"CGO_ENABLED=0"}},
			{build.Flags, flags},
			{build.Goos, []string{"linux", "darwin", "windows"}},
			// Where an int has 32 bits, inev does not compile.
			{build.Goarch, []string{"amd64", "arm64"}},
		} {
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%s: %q, want %q", build.Binary, c.got, c.want)
			}
		}
		if !strings.Contains(strings.Join(build.Ldflags, " "), "-X main.release=v{{ .Version }}") {
			t.Errorf("the linker is told %q", build.Ldflags)
		}
		if _, err := os.Stat(filepath.Join(top, build.Dir, build.Main, "main.go")); err != nil {
			t.Error(err)
		}
	}
	if r.Builds[0].Binary != "inev" || r.Builds[1].Binary != "inev-mcp" || r.Builds[2].Binary != "inev-ls" {
		t.Errorf("a release has %+v", r.Builds)
	}
	// What inev carries, and what it is built with, is made before.
	hooks := strings.Join(r.Before.Hooks, "\n")
	for _, want := range []string{"go -C tools run ./playground -o ../cmd/inev/engine -release v{{ .Version }}", "go -C tools run ./build/overlay ../release"} {
		if !strings.Contains(hooks, want) || !slices.Contains(r.Builds[0].Tags, "engine") {
			t.Errorf("nothing does %s, for the tags %q", want, r.Builds[0].Tags)
		}
	}
	checkPlayground(t, r)
	if r.Checksum.Algorithm != "sha256" {
		t.Errorf("checksums are %+v", r.Checksum)
	}
	var files []string
	for _, node := range r.Archives[0].Files {
		var file struct{ Src string }
		if err := node.Decode(&file); err != nil {
			file.Src = node.Value
		}
		files = append(files, file.Src)
	}
	want := []string{"LICENSE", "README.md", "THIRD_PARTY.md", "CHANGELOG.md", "release/inev.1", "cmd/inev/completion/*"}
	if !slices.Equal(files, want) {
		t.Errorf("archives have %q, want %q", files, want)
	}
	for _, file := range want[:4] {
		if _, err := os.Stat(top + "/" + file); err != nil {
			t.Error(err)
		}
	}
}

// targets are the systems of a release.
func targets(t *testing.T) (all []string) {
	build := readRelease(t).Builds[0]
	for _, system := range build.Goos {
		for _, architecture := range build.Goarch {
			all = append(all, system+"/"+architecture)
		}
	}
	return all
}

// goFor runs the go command for a system, and returns what it said.
func goFor(t *testing.T, folder, target string, arguments ...string) (string, error) {
	t.Helper()
	system, architecture, _ := strings.Cut(target, "/")
	cmd := golden.CommandWithin(t, 15*time.Minute, "go", arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestTargets: every package, with its tests, is right for the systems of a release. It is asked
// for before a release; TestCompilesForOtherSystems is what each change has to pass.
func TestTargets(t *testing.T) {
	if os.Getenv("INEV_TARGETS") != "all" {
		t.Skip("vets inev for all systems, which INEV_TARGETS=all asks for")
	}
	for _, target := range targets(t) {
		if out, err := goFor(t, top, target, "vet", "./..."); err != nil {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}

// TestSmallIntegers: for machines on which an int has 32 bits, inev does not compile, and says
// why in its own words.
func TestSmallIntegers(t *testing.T) {
	out, err := goFor(t, top, "linux/386", "build", "./lts")
	if err == nil || !strings.Contains(out, "inev_needs_a_64_bit_system") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReproducible: the same sources give the same bytes, wherever they lie.
func TestReproducible(t *testing.T) {
	if os.Getenv("INEV_TARGETS") != "all" {
		t.Skip("compiles inev twice, which INEV_TARGETS=all asks for before a release")
	}
	build := readRelease(t).Builds[0]
	overlay := t.TempDir()
	if _, err := buildcommand.Templates(context.Background(), overlay); err != nil {
		t.Fatal(err)
	}
	flags := strings.Split(strings.ReplaceAll(strings.Join(build.Flags, " "), "release/", overlay+"/"), " ")
	linked := strings.ReplaceAll(strings.Join(build.Ldflags, " "), "{{ .Version }}", "1.2.3")
	var first []byte
	for i := range 2 {
		folder := t.TempDir()
		sources := filepath.Join(folder, strings.Repeat("deep/", i)+"sources")
		if err := os.CopyFS(sources, withoutHistory{os.DirFS(top)}); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(folder, "inev")
		out, err := goFor(t, sources, runtime.GOOS+"/"+runtime.GOARCH, append(append([]string{"build"}, flags...), "-ldflags", linked, "-o", program, "./cmd/inev")...)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		bytes, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(bytes); i == 0 {
			first = sum[:]
		} else if !slices.Equal(first, sum[:]) {
			t.Error("two folders give different programs")
		}
	}
}

// patterns returns what stands for all packages; if libraries, for those without the commands.
func patterns(t *testing.T, libraries bool) []string {
	t.Helper()
	if !libraries {
		return []string{"./..."}
	}
	var all []string
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains([]string{"cmd", "modules", "tools"}, name) {
			all = append(all, "./"+name+"/...")
		}
	}
	return all
}

// withoutHistory is a file system that shows neither the history nor what tools have made.
type withoutHistory struct{ fs.FS }

func (w withoutHistory) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || e.Name() == "node_modules" || name == "." && (e.Name() == "docs" || e.Name() == "tools")
	}), err
}

// TestPagesOfReleases: no page needs a method that a template calls, since releases have none.
func TestPagesOfReleases(t *testing.T) {
	folder := t.TempDir()
	manifest, log := filepath.Join(folder, "batch.yaml"), filepath.Join(folder, "sender.log")
	model, err := filepath.Abs(top + "/examples/abp/abp.aut")
	if err != nil {
		t.Fatal(err)
	}
	travel := top + "/examples/travel/travel.aut"
	for name, text := range map[string]string{
		manifest: "jobs:\n  - model: " + model + "\n    formula: DeadlockFree\n",
		log:      "PUT\nGET\nGET\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, words := range map[string][]string{
		"violated":  {"explain", travel, "Inev(BOOKING_REC, TICKET_REC)", "--lanes", "/_(EM|REC)$/", "--shares"},
		"satisfied": {"explain", travel, "Inev({REFUSAL_EM, BOOKING_REC}, {REFUSAL_REC, TICKET_REC, VOUCHER_REC})"},
		"compared":  {"compare", top + "/examples/election/election.aut", top + "/examples/election/lossy.aut", `Inev("LEADER !2")`},
		"argued":    {"ctl", travel, "AG EF <TICKET_REC> true"},
		"replayed":  {"replay", model, log, "Response(PUT; GET)"},
		"batch":     {"batch", manifest, "-o", filepath.Join(folder, "results")},
	} {
		t.Run(name, func(t *testing.T) {
			words, page := append(words, "--html"), filepath.Join(folder, "results", "index.html")
			if name != "batch" {
				page = filepath.Join(folder, name+".html")
				words = append(words, page)
			}
			out, err := exec.CommandContext(t.Context(), filepath.Join(built, "inev"), words...).CombinedOutput()
			var failed *exec.ExitError
			if errors.As(err, &failed) && failed.ExitCode() == 1 {
				err = nil // the property is violated
			}
			if text, _ := os.ReadFile(page); err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
				t.Errorf("%v\n%s\nthe page has %d bytes", err, out, len(text))
			}
		})
	}
}

// TestCompilesForOtherSystems: the types are right for the systems on which nothing is tested.
// Compiling them would take several times as long; for browsers the tests of the playground do.
func TestCompilesForOtherSystems(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("looks at inev for four systems, which .ci/run asks for")
	}
	ours, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"windows/amd64", "darwin/arm64", "wasip1/wasm", "js/wasm"} {
		system, architecture, _ := strings.Cut(target, "/")
		loaded, err := packages.Load(&packages.Config{
			Mode: packages.LoadAllSyntax,
			Dir:  top,
			Env:  append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture),
			// What other modules do in their functions is for them to test.
			ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
				file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
				if err == nil && !strings.HasPrefix(name, ours+string(filepath.Separator)) {
					for _, d := range file.Decls {
						if f, is := d.(*ast.FuncDecl); is {
							f.Body = nil
						}
					}
				}
				return file, err
			},
		}, patterns(t, architecture == "wasm")...)
		if err != nil {
			t.Fatal(err)
		}
		if len(loaded) < 50 {
			t.Errorf("%s: of %d packages only", system, len(loaded))
		}
		for p := range packages.Postorder(loaded) {
			if !strings.HasPrefix(p.PkgPath, "github.com/inev-lts/inev") {
				continue // imports are unused without the functions
			}
			for _, wrong := range p.Errors {
				t.Errorf("%s: %v", system, wrong)
			}
		}
	}
}
