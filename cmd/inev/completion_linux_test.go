package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestBashCompletes presses keys in a real bash, and asks it for its line.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	outside, inside, err := openTerminal()
	if err != nil {
		t.Skip(err)
	}
	defer outside.Close()
	folder := t.TempDir()
	test, err := os.Executable()
	if err == nil {
		err = os.Symlink(test, filepath.Join(folder, "inev")) // TestMain goes by the name
	}
	if err != nil {
		t.Fatal(err)
	}
	model := "des (0,5,4)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n(1,\"ACKED\",2)\n(2,\"PUT !1\",3)\n(3,\"it's\",3)\n"
	for _, name := range []string{"m.aut", "my model.aut"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(model), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "two.exp"), []byte("par REQ in m.aut || m.aut end par\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const start = `bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
source <(inev completion bash)
show() { printf '<<%s>>\n' "$READLINE_LINE"; READLINE_LINE=; }
bind -x '"\C-g": show'
`
	if err := os.WriteFile(filepath.Join(folder, "start"), []byte(start), 0o644); err != nil {
		t.Fatal(err)
	}
	shell := golden.Command(t, bash, "--noprofile", "--rcfile", filepath.Join(folder, "start"), "-i")
	shell.Dir, shell.Stdin, shell.Stdout, shell.Stderr = folder, inside, inside, inside
	shell.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "TERM=dumb", "HISTFILE=", "INPUTRC=/dev/null")
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	inside.Close()
	defer shell.Wait()
	defer shell.Process.Kill()

	seen := bufio.NewReader(outside)
	// press sends keys, and returns the line of the editor then, which is emptied.
	shown := regexp.MustCompile(`<<(.*)>>`)
	press := func(keys string) string {
		if _, err := outside.WriteString(keys); err != nil {
			t.Fatal(err)
		}
		for {
			line, err := seen.ReadString('\n')
			if found := shown.FindStringSubmatch(line); found != nil {
				return found[1]
			}
			if err != nil {
				t.Fatalf("after %q: %v", keys, err)
			}
		}
	}
	for typed, want := range map[string]string{
		"inev exp":                            "inev explain ",
		"inev explain m.aut ":                 "inev explain m.aut 'Inev(",
		"inev explain m.aut In":               "inev explain m.aut 'Inev(",
		"inev explain m.aut 'Inev(RE":         "inev explain m.aut 'Inev(REQ",
		"inev explain m.aut 'Inev(REQ)":       "inev explain m.aut 'Inev(REQ)'",
		"inev explain m.aut 'Inev(REQ, A":     "inev explain m.aut 'Inev(REQ, ACK",
		`inev explain m.aut 'Inev("P`:         `inev explain m.aut 'Inev("PUT !1"`,
		`inev explain m.aut "Inev(RE`:         `inev explain m.aut "Inev(REQ`,
		"inev explain 'my model.aut' 'Inev(R": "inev explain 'my model.aut' 'Inev(REQ",
		`inev explain my\ model.aut 'Inev({R`: `inev explain my\ model.aut 'Inev({REQ`,
		"inev check m.aut --hide RE":          "inev check m.aut --hide REQ ",
		"inev check m.aut --hide 'ACK, RE":    "inev check m.aut --hide 'ACK, REQ",
		"inev explain m":                      "inev explain m",
		"inev explain m.":                     "inev explain m.aut ",
		"inev check two.exp 'Inev(RE":         "inev check two.exp 'Inev(REQ",
	} {
		if got := press(typed + "\t\a"); got != want {
			t.Errorf("%s and TAB makes %s, want %s", typed, got, want)
		}
	}
}

// TestPowerShellCompletes asks a real PowerShell, where there is one, what it would complete.
func TestPowerShellCompletes(t *testing.T) {
	shell, err := exec.LookPath("pwsh")
	if err != nil {
		t.Skip("there is no PowerShell")
	}
	folder := t.TempDir()
	test, err := os.Executable()
	if err == nil {
		err = os.Symlink(test, filepath.Join(folder, "inev")) // TestMain goes by the name
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "m.aut"), []byte("des (0,2,3)\n(0,\"REQ\",1)\n(1,\"ACK\",2)\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	const ask = `inev completion powershell | Out-String | Invoke-Expression
foreach ($line in 'inev exp', "inev explain m.aut 'Inev(RE", 'inev explain m.aut --format j') {
	(TabExpansion2 $line $line.Length).CompletionMatches[0].CompletionText
}`
	cmd := golden.Command(t, shell, "-NoProfile", "-NonInteractive", "-Command", ask)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
	said, err := cmd.CombinedOutput()
	if want := "explain\n'Inev(REQ)'\njson\n"; err != nil || string(said) != want {
		t.Errorf("%v\n%s", err, said)
	}
}
