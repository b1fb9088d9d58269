package specification_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/inev-lts/inev/internal/explain/specification"
)

func ExampleFiles_Find() {
	folder, err := os.MkdirTemp("", "specification")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	const text = "\\* Fill is an action.\nNext == Fill \\/ Empty\nFill == big' = 5\n"
	if err := os.WriteFile(filepath.Join(folder, "Jugs.tla"), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	files, err := specification.Read(context.Background(), []string{folder})
	if err != nil {
		log.Fatal(err)
	}
	p := files.Find("Fill(1)")
	fmt.Println(filepath.Base(p.File), p.Line, p.Text, p.Others)
	// Output: Jugs.tla 3 Fill == big' = 5 1
}
