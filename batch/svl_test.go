package batch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// svlScript has each kind of statement of SVL that names a verdict, and those that do not.
const svlScript = `-- Step 1 (* no comment "
% DEFAULT_MCL_LIBRARIES="mine.mcl"
% rm -f everything
"w.bcg" = generation of "c.aut";
"rooted.bcg" = generation of "spec.lnt" : "Main [A] (1, 5)";
"red.bcg" = root leaf strong reduction of "w.bcg";
"kept.bcg" = root leaf strong reduction of "w.bcg";
(* a comment; with a property in it: property NONE is *)
property DEADLOCK
	"never; stuck"
is
	"w.bcg"
	|= with evaluator4
	[ true* ] < true > true;
	expected TRUE;
end property

property SOME_WORK "a run with" "WORK" is
	"diag.bcg" = "w.bcg" |= with evaluator4 < true* . "WORK" > true;
	expected TRUE;
end property
property SOME_OTHER is "w.bcg" |= < true* . 'OTHER;.*' > true; expected FALSE end property
property FAIR is "w.bcg" |= [ true* . "REQ" . (not "ACK")* ] < (not "ACK")* . "ACK" > true; expected TRUE end property;
property FROM_A_FILE is "diag.bcg" = verify "live.mcl" with evaluator in "w.bcg"; expected FALSE end property
property NAMED_FILE is "c.aut" |= "live.mcl"; expected "FALSE" end property
property BY_A_MACRO is "w.bcg" |= with evaluator5 RESPONDED ("REQ"); expected FALSE end property
property OF_WHAT_IS_THERE is "kept.bcg" |= [ true ] true; expected TRUE end property
property TWO is
	"w.bcg" |= [ "ACK" ] false; expected TRUE;
	"w.bcg" |= [ "REQ" ] false; expected FALSE;
end property
property WRONGLY_EXPECTED is "w.bcg" |= [ "REQ" ] false; expected TRUE end property
property DEADLOCKED is deadlock of "w.bcg"; expected FALSE; end property
property COMPARED is strong comparison "w.bcg" == "red.bcg"; expected TRUE end property
property REDUCED is "red.bcg" |= [ true ] true; expected TRUE end property
property ROOTED is "rooted.bcg" |= [ true ] true; expected TRUE end property
property OF_PARAMETERS (X, Y) is "$X.bcg" |= [ true ] true; expected TRUE end property
property SHELL is "$X.bcg" |= [ true ] true; expected TRUE end property
property BRANCHING is "w.bcg" |= [ true* ] < true* . "ACK" . "REQ" > true; expected TRUE end property
property WRONG is "w.bcg" |= [ true* . ; expected TRUE end property
"x.bcg" = verify "live.mcl" in "w.bcg";
check OF_PARAMETERS (a, b);
`

// TestScriptsOfSVL: the verifications of a script by evaluator are jobs with the verdicts that it expects, and all else
// that has a verdict is refused by its name.
func TestScriptsOfSVL(t *testing.T) {
	folder := tree(t, map[string]string{
		"c.aut":    "des (0,3,2)\n(0,REQ,1)\n(1,ACK,0)\n(1,WORK,1)\n",
		"kept.aut": model, "spec.lnt": "module spec is end module\n",
		"live.mcl": "[ true* . \"REQ\" ] mu X . (< true > true and [ not \"ACK\" ] X)\n",
		"mine.mcl": "macro RESPONDED (A) = [ true* . A ] mu X . (< true > true and [ not \"ACK\" ] X) end_macro\n",
		"s.svl":    svlScript,
	})
	var all strings.Builder
	m := opened(t, folder, "s.svl")
	out := run(t, m, Settings{Folder: filepath.Join(folder, "r")})
	for _, r := range out.Results {
		j := &r.Job
		where := strings.TrimPrefix(j.Where.String(), folder+string(filepath.Separator))
		fmt.Fprintf(&all, "%s %s: %s, %s %s, %s, expected %s %v %s\n",
			where, j.Name, j.Model, j.Formula, j.Options.Fair, r.Status, j.Expected(), j.Options.FrontEndOptions, r.Error)
	}
	got := strings.ReplaceAll(all.String(), folder+string(filepath.Separator), "DIR/")
	golden.Check(t, "testdata/svl.txt", []byte(got))
}

// TestBrokenScriptsOfSVL: a script that ends too early is a mistake with a place.
func TestBrokenScriptsOfSVL(t *testing.T) {
	for script, want := range map[string]string{
		"":                                 "s.svl: holds no job; inev checks what evaluator verifies, property P is \"MODEL\" |= FORMULA; expected TRUE end property",
		"\n\"a.bcg\" = x":                  "s.svl:2: expected ; at the end of the statement \"a.bcg\" = x",
		"property P":                       "s.svl:1: property P has no end; write end property",
		"property P is \"a.bcg\" |= true;": "s.svl:1: property P has no end; write end property",
		"property P is \"a.bcg\" |= true; expected MAYBE end property": "s.svl:1: expected MAYBE is neither TRUE nor FALSE",
	} {
		folder := tree(t, map[string]string{"s.svl": script})
		got := strings.ReplaceAll(mistakesIn(t, folder, "s.svl"), "DIR/", "")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", script, got, want)
		}
	}
}

// FuzzMutantsOfSVL: whatever a script holds, it is read or refused, with places that exist.
func FuzzMutantsOfSVL(f *testing.F) {
	words := []string{"property P", "end property", "is", "|=", "with evaluator", "expected TRUE", "expected FALSE;", "generation of", "verify", "in", "deadlock of", "strong comparison",
		"\"c.aut\"", "\"w.bcg\"", "\"", "(*", "*)", "--", "%", "\n", ";", "=", "true", "[", "]", "(X)", "$X", "'"}
	f.Add([]byte{})
	f.Add([]byte("\x03\x20\x01\x06\x80\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		defer mutation.Limited()()
		folder := tree(t, map[string]string{"c.aut": model})
		readAnything(t, filepath.Join(folder, "s.svl"), mutation.Of(svlScript, program, words))
	})
}
