// Package manual holds that the pages for users tell the truth: what they say to
// type is typed, and answers as they say; the tables of keys are those of the
// schema. It holds only tests.
//
// In a page, a block is marked by the words after its three back quotes:
//
//	console          commands after "$ ", and what they answer
//	console fails    the last of them ends with another status than 0
//	console desktop  they play a real application: `make e2e` types them
//	yaml NAME        a file that the following commands find
//	sh               commands that nobody answers; see elsewhere in blocks_test.go
//
// Commands inside <!-- run … --> are run and not shown. A page's commands share
// one folder and one data folder. In an answer, … stands for anything; ids of
// runs, times and places need not be the same.
package manual
