// Package remote calls the methods of engine.Runs that another process executes: the service
// of a data folder, or a worker of a fleet.
//
// Its main idea: a call is the name of a method of engine.Runs and the JSON of its arguments,
// and an answer is the JSON of its result, or an error with its code, its text and the
// constant that it wraps. Runs makes calls, Invoke executes them.
//
// Its limit: it does not know how messages travel, nor who may call.
package remote
