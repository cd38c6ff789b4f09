// Package crash holds the test that kills: a process that executes a workflow is
// ended with SIGKILL at every place and at random instants, its run is resumed by the
// next process, and in the end everything was done exactly once.
package crash
