package clrun

import (
	"fmt"
	"sync"
)

// service is the driver as the process that holds it offers it, one call at a time.
type service struct {
	mu       sync.Mutex
	driver   *driver
	programs map[int]*program
	last     int
}

// Build is a text to compile.
type Build struct{ Text, Options string }

// Built is a compiled text.
type Built struct {
	ID  int
	Log string
}

// Launch is a kernel to run.
type Launch struct {
	ID          int
	Entry       string
	Grid, Block [3]int
	Args        []Arg
}

// Open finds the device.
func (s *service) Open(_ struct{}, out *Facts) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.driver, err = open(); err == nil {
		*out = s.driver.Facts
	}
	return err
}

// Build compiles a text.
func (s *service) Build(in Build, out *Built) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.driver.build(in.Text, in.Options)
	if err != nil {
		return err
	}
	s.last++
	s.programs[s.last] = p
	*out = Built{s.last, p.log}
	return nil
}

// Run gives the memory of each argument back.
func (s *service) Run(in Launch, out *[][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.programs[in.ID]
	if !ok {
		return fmt.Errorf("clrun: %s: its program is closed", in.Entry)
	}
	if err := p.run(in.Entry, in.Grid, in.Block, in.Args); err != nil {
		return err
	}
	for _, a := range in.Args {
		*out = append(*out, a.Data)
	}
	return nil
}

// Close gives a program back.
func (s *service) Close(id int, _ *struct{}) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.programs[id]; ok {
		p.close()
		delete(s.programs, id)
	}
	return nil
}
