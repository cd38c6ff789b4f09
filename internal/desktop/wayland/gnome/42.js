// GNOME 42 to 44.
const {Clutter, Cogl, Gio, GLib, Meta, Shell, St} = imports.gi;
const Keyboards = imports.misc.keyboardManager;
const Main = imports.ui.main;

function init() {}

function enable() {
    begin();
}

function disable() {
    end();
}

