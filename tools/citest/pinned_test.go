package citest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// pretended is the version of the release that stands in for one of GitHub. The templates name it.
const pretended = "1.0.0"

// publish writes the archive of a release for Linux, and the list of its checksum, to where GitHub would have them below
// its address, by the names of GoReleaser's configuration.
func publish(ctx context.Context, site string) error {
	archive, checksums, err := releaseNames()
	if err != nil {
		return err
	}
	folder := filepath.Join(site, "inev-lts/inev/releases/download/v"+pretended)
	packed := filepath.Join(folder, archive)
	if err := os.MkdirAll(packed, 0o755); err != nil {
		return err
	}
	if err := os.Link(filepath.Join(built, "inev"), filepath.Join(packed, "inev")); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "tar", "-czf", packed+".tar.gz", "-C", folder, archive).CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w: %s", err, out)
	}
	bytes, err := os.ReadFile(packed + ".tar.gz")
	if err != nil {
		return err
	}
	// A list has archives of other systems, too, which nobody has fetched here.
	list := fmt.Sprintf("%064x  %s\n%x  %s\n", 0, strings.ReplaceAll(archive, "linux", "darwin")+".tar.gz", sha256.Sum256(bytes), archive+".tar.gz")
	return os.WriteFile(filepath.Join(folder, checksums), []byte(list), 0o644)
}

// releaseNames returns the name of the archive for Linux on amd64, without its suffix, and that of the list of checksums.
func releaseNames() (archive, checksums string, err error) {
	text, err := os.ReadFile(filepath.Join(top, ".goreleaser.yaml"))
	if err != nil {
		return "", "", err
	}
	var configuration struct {
		Name     string `yaml:"project_name"`
		Archives []struct {
			Template string `yaml:"name_template"`
		}
		Checksum struct {
			Template string `yaml:"name_template"`
		}
	}
	if err := yaml.Unmarshal(text, &configuration); err != nil {
		return "", "", err
	}
	values := strings.NewReplacer("{{ .ProjectName }}", configuration.Name, "{{ .Version }}", pretended, "{{ .Os }}", "linux", "{{ .Arch }}", "amd64")
	return values.Replace(configuration.Archives[0].Template), values.Replace(configuration.Checksum.Template), nil
}

// TestForgedReleaseIsRefused: the lines that install inev compare the checksum of what they have fetched.
func TestForgedReleaseIsRefused(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, githubFile)), &w); err != nil {
		t.Fatal(err)
	}
	install := stepNamed(t, w.Jobs["inev"].Steps, "Install inev")
	m := newMachine(t)
	m.set(w.Env)
	m.standIn("tar", `echo "unpacked" >&2; exit 1`)
	m.standIn("sha256sum", `for archive in *.tar.gz; do echo forged >> "$archive"; done
PATH=$CITEST_PATH exec sha256sum "$@"`)
	out, code := m.run("-e", install.Run)
	if code == 0 || strings.Contains(out, "unpacked") || !strings.Contains(out, "FAILED") {
		t.Errorf("a forged archive: exit code %d\n%s", code, out)
	}
}

func stepNamed(t *testing.T, steps []workflowStep, name string) workflowStep {
	t.Helper()
	for _, s := range steps {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no step %s", name)
	return workflowStep{}
}

// pin is a version of an action.
type pin struct {
	version string // as the comment behind its commit has it
	runtime string // the runtime that its action.yml names; for a composite action, those of the actions that it uses
}

// pins are the versions of actions that the tree may use, by name and commit, with the runtimes that they had when the
// commits were compared with those that other projects pin, in November 2026: actionlint knows no commits.
var pins = map[string]pin{
	"actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd":                {version: "v6.0.2", runtime: "node24"},
	"actions/setup-go@4a3601121dd01d1626a1e23e37211e3254c1c06c":                {version: "v6.4.0", runtime: "node24"},
	"actions/cache/restore@668228422ae6a00e4ad889ee87cd7109ec5666a7":           {version: "v5.0.4", runtime: "node24"},
	"actions/cache/save@668228422ae6a00e4ad889ee87cd7109ec5666a7":              {version: "v5.0.4", runtime: "node24"},
	"actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f":         {version: "v6.0.0", runtime: "node24"},
	"actions/download-artifact@37930b1c2abaa49bbe596cd826c3c89aef350131":       {version: "v7.0.0", runtime: "node24"},
	"actions/attest-build-provenance@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32": {version: "v4.1.0", runtime: "node24"},
	"github/codeql-action/upload-sarif@5d4e8d1aca955e8d8589aabd499c5cae939e33c7": {
		version: "v4.31.9", runtime: "node24"},
	"goreleaser/goreleaser-action@ec59f474b9834571250b370d4735c50f8e2d1e29": {version: "v7.0.0", runtime: "node24"},
}

// gone are the runtimes that GitHub's runners no longer have, and since when.
var gone = map[string]string{"node12": "2023-06", "node16": "2024-11", "node20": "2026-09"}

// TestPinnedActionsRun: each action that a workflow, the action or a document names is a known version, and the runners
// have its runtime.
func TestPinnedActionsRun(t *testing.T) {
	used := map[string]bool{}
	for _, file := range workflowFiles(t) {
		for _, found := range regexp.MustCompile(`uses: ([^\s@]+@[0-9a-f]{40})(?: # (\S+))?`).FindAllStringSubmatch(read(t, file), -1) {
			known, isKnown := pins[found[1]]
			if !isKnown || known.version != found[2] {
				t.Errorf("%s: %s # %s is not in the table of pins: compare its commit and its runtime", file, found[1], found[2])
			}
			used[found[1]] = true
		}
	}
	for name, p := range pins {
		if !used[name] {
			t.Errorf("nothing uses %s", name)
		}
		if since, isGone := gone[p.runtime]; isGone {
			t.Errorf("%s runs on %s, which the runners have not had since %s", name, p.runtime, since)
		}
	}
}

// workflowFiles returns the files that name actions.
func workflowFiles(t *testing.T) []string {
	t.Helper()
	files := []string{actionFile, document}
	for _, folder := range []string{"docs/ci", ".github/workflows"} {
		found, err := fs.Glob(os.DirFS(top), folder+"/*.yml")
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no workflows: %v", folder, err)
		}
		for _, name := range found {
			files = append(files, filepath.Join(top, name))
		}
	}
	return files
}

// TestTemplatesInstallAVersion: a template installs the release that its one line VERSION names, never the newest.
func TestTemplatesInstallAVersion(t *testing.T) {
	for _, file := range workflowFiles(t) {
		text := read(t, file)
		if strings.Contains(text, "cmd/inev@latest") {
			t.Errorf("%s installs whatever is newest", file)
		}
		if !strings.Contains(text, "releases/download/v$VERSION") {
			continue
		}
		if named := regexp.MustCompile(`(?m)^ *VERSION: (\S+)`).FindAllStringSubmatch(text, -1); len(named) != 1 || named[0][1] != pretended {
			t.Errorf("%s: lines VERSION are %q", file, named)
		}
	}
}

// TestPartsOfCI: the project's own workflow runs each part of .ci/run, and its Go is the one of the templates.
func TestPartsOfCI(t *testing.T) {
	var w struct {
		Jobs map[string]struct {
			Container string
			Strategy  struct{ Matrix struct{ Part []string } }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(top, ".github/workflows/ci.yml"))), &w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["check"]
	usage := regexp.MustCompile(`usage: \.ci/run \[(.*)\]`).FindStringSubmatch(read(t, filepath.Join(top, ".ci/run")))
	if usage == nil || strings.Join(job.Strategy.Matrix.Part, "|") != usage[1] {
		t.Errorf("the workflow runs %q of %q", job.Strategy.Matrix.Part, usage)
	}
	if !strings.Contains(read(t, gitlabFile), "image: "+job.Container+"\n") {
		t.Errorf("the workflow and the pipeline for GitLab have different images: %s", job.Container)
	}
}

// TestDependencyUpdatesKnowAllModules: none is left behind.
func TestDependencyUpdatesKnowAllModules(t *testing.T) {
	settings := read(t, filepath.Join(top, ".github/dependabot.yml"))
	for _, pattern := range []string{"go.mod", "*/go.mod", "modules/*/go.mod"} {
		found, err := fs.Glob(os.DirFS(top), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			folder := "/" + strings.TrimSuffix(strings.TrimSuffix(file, "go.mod"), "/")
			if !regexp.MustCompile(`[\[ ]` + regexp.QuoteMeta(folder) + `[,\]]`).MatchString(settings) {
				t.Errorf("%s is not among the directories", folder)
			}
		}
	}
}
