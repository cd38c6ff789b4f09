// Package hostile is what attackers bring: values that do harm where they are
// executed, the places in commands in which that happens, messages that are none,
// names that forge, and tokens that are signed wrongly. Tests of the parts and the
// attacks on the whole program take them from here. Its main idea is that a new
// trick is one line, which is then tried everywhere; its limit is that it attacks
// nothing by itself.
package hostile
