module understudy

go 1.26

require github.com/jezek/xgb v1.3.1
