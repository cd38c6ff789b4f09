// Package win32 is the driver of a Windows desktop: its windows, screen, pointer, keyboard
// and clipboard, by user32, gdi32 and their like, without cgo. Its main idea is that each
// effect is awaited where Windows tells of it; its limit is the window: what is inside is read
// by uia.
package win32
