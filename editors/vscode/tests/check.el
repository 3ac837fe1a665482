;; Opens the file, starts the server, and prints the diagnostics.
(package-initialize)
(unless (require 'eglot nil t) (princ "no eglot\n") (kill-emacs))
(load (expand-file-name "settings.el"))
(find-file "robots.txt")
(princ (format "%s %s\n" major-mode comment-start))
;; `eglot-ensure` starts the server after a command.
(run-hooks 'post-command-hook)
(with-timeout (20 (princ "no diagnostics\n"))
  (while (not (and (eglot-managed-p) (flymake-diagnostics)))
    (when (eglot-managed-p) (flymake-start))
    (accept-process-output nil 0.1)))
(dolist (found (flymake-diagnostics)) (princ (format "%s\n" (flymake-diagnostic-text found))))
