UPDATE {entries} e SET context = NULL FROM {contexts} c WHERE {of_another}{in_c}{in_e}
