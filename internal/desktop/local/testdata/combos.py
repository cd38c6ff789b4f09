"""Combo boxes of Qt that show nothing. It writes a line for each that changes."""
import sys

from PyQt6.QtWidgets import QApplication, QComboBox, QFormLayout, QWidget

app = QApplication(sys.argv)
window = QWidget()
form = QFormLayout(window)
for name in ["Blank", "None"]:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.addItems(["", "Small", "Large"] if name == "Blank" else ["Small", "Large"])
    combo.setCurrentIndex(0 if name == "Blank" else -1)
    combo.currentTextChanged.connect(lambda text, name=name: print(name, text, flush=True))
    form.addRow(combo)
window.setWindowTitle("Combos")
window.resize(300, 200)
window.show()
app.exec()
