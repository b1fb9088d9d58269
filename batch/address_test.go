package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldersKeepTheirAddress: the folder of a job is that of its name, whatever becomes of its
// model and formula; names that read alike have different ones, and what a job has left is not
// there any more where it fails later.
func TestFoldersKeepTheirAddress(t *testing.T) {
	manifest := "jobs:\n  - {model: a.aut, name: The job, formula: 'FORMULA'}\n  - {model: a.aut, name: the-job, formula: Inev(REQ)}\n"
	in := tree(t, map[string]string{"a.aut": model, "m.yaml": strings.Replace(manifest, "FORMULA", "Inev(REQ, ACK)", 1)})
	folder := t.TempDir()
	s := Settings{Folder: folder, Begin: Resume, Wanted: []string{"explanation"}, Version: "v1"}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := run(t, opened(t, in, "m.yaml"), s)
	address := first.Results[0].Files["explanation"]
	if address == "" || address == first.Results[1].Files["explanation"] {
		t.Fatalf("addresses %q and %q", address, first.Results[1].Files["explanation"])
	}
	holds := func(what, text string, out *Outcome) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(address)))
		if err != nil || !strings.Contains(string(content), text) || out.Results[0].Files["explanation"] != address {
			t.Errorf("%s: the folder is %s (error %v)", what, out.Results[0].Files["explanation"], err)
		}
		checkFolders(t, folder, out.Results)
	}
	write("a.aut", strings.ReplaceAll(model, "DROP", "LOSE"))
	holds("another model", "LOSE", run(t, opened(t, in, "m.yaml"), s))
	write("m.yaml", strings.Replace(manifest, "FORMULA", "Inev(REQ, LOSE)", 1))
	holds("another formula", "Inev(REQ, LOSE)", run(t, opened(t, in, "m.yaml"), s))
	write("a.aut", "des (0,1,1)\n")
	out := run(t, opened(t, in, "m.yaml"), s)
	if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(address))); err == nil || out.Results[0].Status != Failed {
		t.Errorf("a job that fails has the files of before (error %v)", err)
	}
}
