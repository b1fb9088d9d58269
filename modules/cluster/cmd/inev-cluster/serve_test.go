package main

import (
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// serve is a server with JetStream in a process of its own: jetstream CONFIG.
func serve() {
	options, err := server.ProcessConfigFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	options.NoSigs = true
	s, err := server.NewServer(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	s.ConfigureLogger()
	s.Start()
	select {}
}
