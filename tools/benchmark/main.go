// Command benchmark prints the tables of docs/research/evidence.md: it injects faults into models
// whose property holds, and counts the states that each method of explanation lists before a state
// with the fault.
//
//	go -C tools run ./benchmark > FILE
//
// is run in the root of the main module; -models names a folder with further models, -faults is the
// number of faults, and -seed the seed of the generator that draws them.
//
// The tables are a function of the models, the number of faults and the seed, whatever the number
// of cores.
package main

import (
	"bufio"
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("benchmark: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	models := flag.String("models", "",
		"inject faults into the .aut models of this `FOLDER`, too")
	faults := flag.Int("faults", 10_000, "inject this many `FAULTS`")
	seed := flag.Uint64("seed", 1, "draw them from this `NUMBER`")
	flag.Parse()
	if err := run(ctx, *models, *faults, *seed); err != nil {
		log.Fatal(err)
	}
}

// run injects faults into models, lets the methods locate them, and writes how well they do.
func run(ctx context.Context, folder string, faults int, seed uint64) error {
	subjects, err := gather(ctx, "..", folder, seed)
	if err != nil {
		return err
	}
	trials, err := inject(ctx, subjects, faults, seed, methods)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	writeTables(out, subjects, trials, seed)
	return out.Flush()
}
