# Completion of inev for PowerShell: inev completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName inev -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # The words before the cursor as they are written, and the one at the cursor, which may be empty.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    # Before version 7.3, PowerShell drops an empty word, and a double quote in a word.
    $word = $wordToComplete
    if ($PSVersionTable.PSVersion -lt [version]'7.3') {
        $word = if ($word) { $word -replace '"', '\"' } else { '""' }
    }
    & $commandAst.CommandElements[0].Extent.Text @words $word --generate-bash-completion 2>$null | ForEach-Object {
        # Words with signs that mean something are quoted; a quote within is doubled.
        $text = if ($_ -match '^[\w./:=+-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }
    # Where inev has nothing to say, PowerShell completes the names of files.
}
