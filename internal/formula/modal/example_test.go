package modal_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/formula/modal"
)

// A formula of CADP is read as what it says, if that is something about all runs.
func ExampleParse() {
	for _, text := range []string{
		`macro INEVITABLE (A) = mu X . (< true > true and [ not (A) ] X) end_macro [ true* . "REQ" ] INEVITABLE ('ACK.*')`,
		`[ true* . "OPEN" . (not "CLOSE")* . "OPEN" ] false`,
		`[true*.send(1)]false`,
	} {
		f, err := modal.Parse(context.Background(), text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f)
	}
	_, err := modal.Parse(context.Background(), `[ true* ] < "ACK" > true`)
	fmt.Println(err != nil)
	// Output:
	// Response("REQ"; /^ACK.*$/)
	// [ true* . "OPEN" . (not "CLOSE")* . "OPEN" ] false
	// Never(send(1))
	// true
}
